// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which changed files the pickaxe wants, as in gitdiffcore(7). Each blob is
// searched once, so most answers come from what is known of two blobs.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/visitor.h"
#include "history/numbered_trees.h"
#include "history/tree_changes.h"
#include "log/blob_keys.h"
#include "log/file_pair.h"
#include "log/occurrence_counter.h"
#include "reader/archive_file.h"
#include "reader/object_reader.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::log {

// Calls `visit` with each line that only one of two texts has, with its line
// feed, as Git's diff with its default settings finds them.
using LineDiff =
    std::function<Status(std::string_view before, std::string_view after,
                         const Visitor<std::string_view>& visit)>;

class PickaxeSearch {
 public:
  enum class Answer : uint8_t {
    kNo,
    kYes,
    kUnknown,  // the contents have to be compared
  };

  // All references must outlive this object.
  PickaxeSearch(const ArchiveFile& archive, ObjectReader& objects,
                const LogOptions& options, const LineDiff& diff);
  ~PickaxeSearch();
  PickaxeSearch(const PickaxeSearch&) = delete;
  PickaxeSearch& operator=(const PickaxeSearch&) = delete;

  // Searches these blobs, in ascending order, or all. Must be called before the
  // functions below, which know only these blobs. Errors: kInvalidArgument for
  // a pattern that is not valid; those of BlobKeys::Search.
  using Blobs = std::optional<std::span<const ObjectNumber>>;
  Status Search(Blobs blobs = std::nullopt);

  // May be called from several threads at once, unless another function is.
  Answer Judge(const TreeSide& before, const TreeSide& after) const;

  // Whether a side is a blob of the file.
  bool HasText(const TreeSide& side) const;

  // Two sides about which Judge says kUnknown.
  using Sides = std::pair<TreeSide, TreeSide>;
  // Whether Compare can: both are in the file, as far as they exist.
  bool CanCompare(const Sides& sides) const;
  // Compares them, on several threads, and remembers the answers for Judge.
  Status Compare(std::vector<Sides> sides);

  // A definite answer. `trees` knows the ids of what is not in the file.
  Result<bool> Wants(const FilePair& pair, const NumberedTrees& trees);

 private:
  using Key = std::pair<uint64_t, uint64_t>;
  struct HashKey {
    size_t operator()(const Key& key) const {
      return key.first * 0x9e3779b97f4a7c15U + key.second;
    }
  };
  class Comparer;

  static Key KeyFor(const TreeSide& before, const TreeSide& after);
  bool IsInFile(const TreeSide& side) const {
    return side.exists() && side.object.value() < archive_.object_count();
  }
  // As far as BlobKeys knows. REQUIRES: both are in the file.
  bool HaveSameLines(const Sides& sides) const;
  Answer JudgeLines(const TreeSide& before, const TreeSide& after) const;

  const ArchiveFile& archive_;
  ObjectReader& objects_;
  const LogOptions& options_;
  const LineDiff& diff_;
  Needle needle_;
  BlobKeys keys_;
  // What is looked for, by number if it is in the file.
  std::unordered_set<ObjectNumber> stored_;
  std::unordered_set<ObjectId> elsewhere_;
  std::unordered_map<Key, bool, HashKey> known_;
  std::unique_ptr<Comparer> comparer_;  // of Wants, once it needs one
};

}  // namespace zpack::log
