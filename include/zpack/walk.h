// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a walk through the history in a .zpack file begins with and comes
// across. Plain values.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "zpack/object_id.h"

namespace zpack {

enum class WalkRefs : uint8_t { kNone, kAll };
enum class WalkObjects : uint8_t {
  kCommits,  // nothing else; a start that is no commit is passed over
  kAll,      // also tags, trees and blobs
};

struct WalkOptions {
  // kAll begins with all refs, in order of their names, and HEAD.
  WalkRefs refs = WalkRefs::kNone;
  // What the walk begins with besides. Tags are followed.
  std::vector<ObjectId> starts;
  WalkObjects objects = WalkObjects::kCommits;
};

// An object that a walk has come to for the first time.
struct WalkedObject {
  ObjectId id;
  ObjectType type = ObjectType::kCommit;
  // Of a tag, its name as its header has it; of a tree or blob, the path on
  // which it was found, empty for the root. Any bytes. Lives as long as the
  // call.
  std::string_view name;
};

}  // namespace zpack
