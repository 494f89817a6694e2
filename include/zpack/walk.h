// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results of ArchiveReader::Walk, which walks the history in a
// .zpack file. Plain values; thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/object_id.h"

namespace zpack {

enum class WalkRefs : uint8_t { kNone, kAll };
enum class WalkObjects : uint8_t {
  kCommits,  // only commits; a start that does not lead to a commit is skipped
  kAll,      // commits, tags, trees and blobs
};

struct WalkOptions {
  // kAll starts the walk from all refs, in the order of their names, and from
  // HEAD, before `starts` unless starts_before_refs says otherwise.
  WalkRefs refs = WalkRefs::kNone;
  // Further objects to start from. A tag leads to its target.
  std::vector<ObjectId> starts;
  WalkObjects objects = WalkObjects::kCommits;
  // After a stop is requested, the walk returns kInterrupted.
  std::stop_token stop = {};
  // Commits that these objects reach are left out, as '^<rev>' leaves them out
  // in git-rev-list(1). With WalkObjects::kAll, these objects themselves are
  // left out too, and everything in the trees of those excluded commits that
  // are parents of commits of the walk; other objects that an excluded commit
  // reaches may be part of the walk.
  std::vector<ObjectId> excluded = {};
  // For each of `excluded`, how many of `starts` were named before it, in
  // ascending order; 0 where an element is missing. Matters only for objects
  // where dates of commits do not tell their order: like Git, the walk then
  // leaves out more if a start was named first.
  std::vector<size_t> excluded_after = {};
  // Commits that Git reads before its walk, with some of their ancestors, to
  // know what names such as '<a>...<b>' stand for. Where dates do not tell the
  // order, Git then leaves out less, and so does the walk.
  std::vector<ObjectId> read_before = {};
  // After this many commits, no further commit is part of the walk.
  uint64_t max_commits = std::numeric_limits<uint64_t>::max();
  // For each of `starts`, the path of a tree or blob, which becomes the name of
  // the object and begins the paths of what the tree reaches; empty where an
  // element is missing.
  std::vector<std::string> start_paths = {};
  // How many of `starts`, and of `excluded`, were named before the refs.
  // Matters where commits have the same date: like Git, the walk then lists
  // first what was named first.
  size_t starts_before_refs = 0;
  size_t excluded_before_refs = 0;
};

// An object that the walk has reached for the first time.
struct WalkedObject {
  ObjectId id;
  ObjectType type = ObjectType::kCommit;
  // For a tag: the name in the header of the tag. For a tree or blob: the path
  // on which the walk found the object; empty for the tree of a commit. May
  // contain any bytes. The view is valid only during the call of the visitor.
  std::string_view name;
};

}  // namespace zpack
