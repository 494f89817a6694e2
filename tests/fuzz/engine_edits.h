// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a target's own mutations take from the fuzz engine, and give to it.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "fuzz/file_mutator.h"

namespace zpack::testing {

// The engine's own edits of bytes, or FlipBytes where there is no engine.
EditBytes EngineEdits(uint64_t seed);

// Hands over as many of `bytes` as there is room for; returns their number.
size_t Give(ByteView bytes, uint8_t* out, size_t max_size);

}  // namespace zpack::testing
