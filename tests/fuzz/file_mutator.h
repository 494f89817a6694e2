// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Random edits of .zpack files that leave their checksums right: of header,
// chunks, refs, tables, blocks, parity, and of streams before compression. The
// same seed makes the same edit. Pure.

#pragma once

#include <cstdint>
#include <functional>

#include "base/bytes.h"

namespace zpack::testing {

// Edits bytes in place, for the edits that know no structure.
using EditBytes = std::function<void(Bytes&)>;

// Edits `file` in one place or a few. Where it cannot be taken apart, its
// parity packets are edited, or `edit_bytes` edits it.
Bytes MutateFile(ByteView file, uint64_t seed, const EditBytes& edit_bytes);

// Puts blocks, streams or refs of `other` into `file`.
Bytes CrossFiles(ByteView file, ByteView other, uint64_t seed,
                 const EditBytes& edit_bytes);

// An `EditBytes` for when there is no fuzz engine.
void FlipBytes(Bytes& bytes, uint64_t seed);

}  // namespace zpack::testing
