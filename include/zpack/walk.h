// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results of ArchiveReader::Walk, which walks the history in a
// .zpack file. Plain values; thread-compatible.

#pragma once

#include <cstdint>
#include <stop_token>
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
  // HEAD.
  WalkRefs refs = WalkRefs::kNone;
  // Further objects to start from, after the refs. A tag leads to its target.
  std::vector<ObjectId> starts;
  WalkObjects objects = WalkObjects::kCommits;
  // After a stop is requested, the walk returns kInterrupted.
  std::stop_token stop = {};
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
