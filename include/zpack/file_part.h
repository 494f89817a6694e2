// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// One of several files that depend on each other. A plain value.

#pragma once

#include <cstdint>
#include <string>

namespace zpack {

struct FilePart {
  std::string path;
  uint64_t size = 0;          // in bytes
  uint32_t object_count = 0;  // in this file alone
  std::string file_hash;      // hexadecimal
};

}  // namespace zpack
