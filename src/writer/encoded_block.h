// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A block, ready to be written.

#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "format/expansion.h"

namespace zpack {

struct EncodedBlock {
  uint32_t first_object = 0;
  Bytes chunk;
  format::Expansion expansion;
};

}  // namespace zpack
