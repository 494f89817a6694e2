// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Paths of objects, as the trees of a file first name them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "zpack/result.h"

namespace zpack {

class ObjectPaths {
 public:
  explicit ObjectPaths(const ArchiveFile& archive);

  // Notes what the trees of a block name. REQUIRES: `block` holds trees and is
  // no segment.
  Status AddTrees(const DecodedBlock& block);

  // The path of an object; empty for a root tree and what no tree names.
  std::string Path(uint32_t number) const;
  // The last component of it.
  std::string_view Name(uint32_t number) const { return *names_[number]; }

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  void AddTree(uint32_t tree, ByteView content);

  const ArchiveFile& archive_;
  std::vector<uint32_t> parents_;  // by number: the tree, or kNone
  std::vector<const std::string*> names_;
  std::unordered_set<std::string> interned_;  // owns the names
};

}  // namespace zpack
