// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the ids inside commits, trees and tags. Git can hold odd objects, so
// the parsers take what they can read and say where they stopped; they never
// judge. Pure functions.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "zpack/object_id.h"

namespace zpack {

// One entry of a tree. The views live as long as the tree's content.
struct TreeEntry {
  uint32_t mode = 0;
  std::string_view name;
  ByteView id;

  bool is_tree() const { return (mode & 0170000) == 0040000; }
  // A submodule's commit, which lives in another repository.
  // Git takes every mode that is no file, link or directory for one.
  bool is_gitlink() const {
    const uint32_t kind = mode & 0170000;
    return kind != 0040000 && kind != 0100000 && kind != 0120000;
  }
};

// Walks the entries of a tree front to back.
class TreeIterator {
 public:
  TreeIterator(ByteView content, ObjectFormat format)
      : rest_(content), width_(ObjectIdWidth(format)) {}

  // False at the end, or where the rest is not a tree entry.
  bool Next(TreeEntry& entry);
  // True when Next has returned false because the content was used up.
  bool complete() const { return rest_.empty(); }

  // What Next has not read yet.
  ByteView rest() const { return rest_; }
  // Passes over the entry in the first `size` bytes of it.
  void Skip(size_t size) { rest_ = rest_.subspan(size); }

 private:
  ByteView rest_;
  size_t width_;
};

// Walks the entries of a tree that another tree does not have, byte for byte;
// where one of them is not sorted, maybe some more. Much faster than looking at
// each entry when the trees are versions of one directory.
class NewTreeEntries {
 public:
  // `known` may be empty. Both contents outlive this.
  NewTreeEntries(ByteView content, ByteView known, ObjectFormat format)
      : entries_(content, format), known_(known, format) {
    NextKnown();
  }

  // False at the end, or where the rest is not a tree entry.
  bool Next(TreeEntry& entry);

 private:
  // Passes over the entries with which both go on.
  void SkipCommon();
  void NextKnown();

  TreeIterator entries_;
  TreeIterator known_;  // behind `known_entry_`
  TreeEntry known_entry_;
  ByteView known_bytes_;  // of that entry; empty at the end
};

// What a commit names: its tree first, then its parents. An id that cannot be
// read is left out.
struct CommitLinks {
  ObjectId tree;  // empty when there is none
  std::vector<ObjectId> parents;
};
CommitLinks ParseCommitLinks(ByteView content, ObjectFormat format);

// Seconds since 1970 of the committer line, as Git reads them: a number that is
// too large is the largest, one below 0 counts from 2^64 down, and anything
// else is 0.
uint64_t ParseCommitTime(ByteView content);

// The header of an annotated tag, as far as Git needs it. What cannot be read,
// and all that follows, is empty.
struct TagHeader {
  ObjectId target;
  std::string_view type;
  std::optional<std::string_view> name;  // up to a zero byte
};
TagHeader ParseTagHeader(ByteView content, ObjectFormat format);

// The object an annotated tag points at, or empty.
ObjectId ParseTagTarget(ByteView content, ObjectFormat format);

// Appends the ids that an object names, of any type; not those of submodules.
void AppendLinks(ObjectType type, ByteView content, ObjectFormat format,
                 std::vector<ObjectId>& out);

}  // namespace zpack
