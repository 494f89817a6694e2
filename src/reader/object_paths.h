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

#include "base/index_spaces.h"
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
  std::string Path(ObjectNumber number) const;
  // The last component of it.
  std::string_view Name(ObjectNumber number) const { return *names_[number]; }

 private:
  static constexpr ObjectNumber kNone{0xffffffff};

  void AddTree(ObjectNumber tree, ByteView content);

  const ArchiveFile& archive_;
  // The tree that names it, or kNone.
  IndexedVector<ObjectNumber, ObjectNumber> parents_;
  IndexedVector<ObjectNumber, const std::string*> names_;
  std::unordered_set<std::string> interned_;  // owns the names
};

}  // namespace zpack
