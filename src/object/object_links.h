// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the ids inside commits, trees and tags. Git can hold malformed objects,
// so the parsers take the part that they can read, and report where they
// stopped; they never reject an object. Pure functions.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "zpack/object_id.h"

namespace zpack {

// One entry of a tree. The views are valid as long as the content of the tree.
// What the mode of a tree's entry says. Like Git, counts every mode that is not
// a file, link or directory as that of a submodule's commit, which lives in
// another repository.
constexpr bool IsTreeMode(uint32_t mode) { return (mode & 0170000) == 0040000; }
constexpr bool IsFileMode(uint32_t mode) { return (mode & 0170000) == 0100000; }
constexpr bool IsGitlinkMode(uint32_t mode) {
  return !IsTreeMode(mode) && !IsFileMode(mode) && (mode & 0170000) != 0120000;
}

// How Git sorts the entries of a tree: by the bytes of their names, where that
// of a directory ends with a slash. Less than 0 if the first comes before the
// second.
inline int CompareTreeNames(std::string_view first, bool first_is_tree,
                            std::string_view second, bool second_is_tree) {
  const size_t shared = std::min(first.size(), second.size());
  const int order = first.substr(0, shared).compare(second.substr(0, shared));
  if (order != 0) return order;
  const auto next = [shared](std::string_view name, bool is_tree) -> int {
    if (name.size() > shared) return static_cast<uint8_t>(name[shared]);
    return is_tree ? '/' : 0;
  };
  return next(first, first_is_tree) - next(second, second_is_tree);
}

struct TreeEntry {
  uint32_t mode = 0;
  std::string_view name;
  ByteView id;

  bool is_tree() const { return IsTreeMode(mode); }
  bool is_gitlink() const { return IsGitlinkMode(mode); }
};

// Walks the entries of a tree from front to end.
class TreeIterator {
 public:
  TreeIterator(ByteView content, ObjectFormat format)
      : rest_(content), width_(ObjectIdWidth(format)) {}

  // False at the end, or if the rest does not begin with a tree entry.
  bool Next(TreeEntry& entry);
  // True if the whole content was read, so that Next returned false at the end.
  bool complete() const { return rest_.empty(); }

  // The bytes that Next has not read yet.
  ByteView rest() const { return rest_; }
  // Skips the entry in the first `size` bytes of rest().
  void Skip(size_t size) { rest_ = rest_.subspan(size); }

 private:
  ByteView rest_;
  size_t width_;
};

// Walks the entries of a tree that are not in another tree, byte for byte. If
// one of the trees is not sorted, common entries may be returned, too. Much
// faster than looking at each entry if the trees are versions of one directory.
class NewTreeEntries {
 public:
  // `known` may be empty. REQUIRES: both contents outlive this object.
  NewTreeEntries(ByteView content, ByteView known, ObjectFormat format)
      : entries_(content, format), known_(known, format) {
    NextKnown();
  }

  // False at the end, or if the rest does not begin with a tree entry.
  bool Next(TreeEntry& entry);
  // As TreeIterator::complete.
  bool complete() const { return entries_.complete(); }

 private:
  // Skips the entries that both trees have at their current positions.
  void SkipCommon();
  void NextKnown();

  TreeIterator entries_;
  TreeIterator known_;  // after `known_entry_`
  TreeEntry known_entry_;
  ByteView known_bytes_;  // bytes of `known_entry_`; empty at the end
};

// The ids in a commit: the tree and the parents. Ids that cannot be parsed are
// left out.
struct CommitLinks {
  ObjectId tree;  // empty if there is none
  std::vector<ObjectId> parents;
};
CommitLinks ParseCommitLinks(ByteView content, ObjectFormat format);

// The function behind CommitTime of zpack/archive_reader.h.
uint64_t ParseCommitTime(ByteView content);

// The header of an annotated tag, as far as Git needs it. The first field that
// cannot be parsed, and all fields after it, are empty.
struct TagHeader {
  ObjectId target;
  std::string_view type;
  std::optional<std::string_view> name;  // up to the first zero byte
};
TagHeader ParseTagHeader(ByteView content, ObjectFormat format);

// The id of the object that an annotated tag points at. Empty if it cannot be
// parsed.
ObjectId ParseTagTarget(ByteView content, ObjectFormat format);

// Appends the ids that an object of any type refers to, except those of
// submodules.
void AppendLinks(ObjectType type, ByteView content, ObjectFormat format,
                 std::vector<ObjectId>& out);

}  // namespace zpack
