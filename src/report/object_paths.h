// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Paths of objects: the path of the first tree entry that refers to the object.

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

  // Adds the entries of the trees in a block. REQUIRES: `block` holds trees and
  // is not a segment.
  Status AddTrees(const DecodedBlock& block);

  // Returns the path of an object; empty for root trees and for objects that
  // are in no tree. A very deep or long path loses its first components.
  std::string Path(ObjectNumber number) const;
  // Returns the last component of the path.
  std::string_view Name(ObjectNumber number) const { return *names_[number]; }

 private:
  static constexpr ObjectNumber kNone{0xffffffff};

  void AddTree(ObjectNumber tree, ByteView content);

  const ArchiveFile& archive_;
  FarBudget far_budget_;
  // The tree whose entry refers to the object, or kNone.
  IndexedVector<ObjectNumber, ObjectNumber> parents_;
  IndexedVector<ObjectNumber, const std::string*> names_;
  std::unordered_set<std::string> interned_;  // owns the names
};

}  // namespace zpack
