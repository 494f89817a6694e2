// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An encoded block, ready to be written.

#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/expansion.h"

namespace zpack {

struct EncodedBlock {
  ObjectNumber first_object;
  Bytes chunk;
  format::Expansion expansion;
};

}  // namespace zpack
