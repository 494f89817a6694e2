// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A directory, file or link of the mounted archive. Plain values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "zpack/object_id.h"

namespace zpack::mount {

// What everything below one commit shares.
struct Origin {
  ObjectId commit = {};  // empty if a ref leads to a tree or blob
  int64_t time = 0;      // of the commit, in seconds since 1970
};

enum class PlaceKind : uint8_t {
  kRoot,
  kHead,     // a symbolic link
  kRefs,     // a directory of branches or tags
  kCommits,  // the directory of all commits
  kTree,
  kFile,
  kLink,
  kSubmodule,  // an empty directory
};

struct Place {
  PlaceKind kind = PlaceKind::kRoot;
  bool executable = false;   // of kFile
  size_t ref_directory = 0;  // of kRefs
  ObjectId id = {};          // from kTree on
  // Null for a place outside of commits, trees and blobs.
  std::shared_ptr<const Origin> origin = {};
};

inline bool IsDirectory(PlaceKind kind) {
  return kind != PlaceKind::kHead && kind != PlaceKind::kFile &&
         kind != PlaceKind::kLink;
}
inline bool IsLink(PlaceKind kind) {
  return kind == PlaceKind::kHead || kind == PlaceKind::kLink;
}

}  // namespace zpack::mount
