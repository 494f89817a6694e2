// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file before and after a commit. Plain values.

#pragma once

#include <cstdint>
#include <string>

#include "history/tree_changes.h"

namespace zpack::log {

struct FilePair {
  TreeSide before;
  TreeSide after;
  std::string old_path;  // also that of an added file
  std::string new_path;  // also that of a removed file
  bool renamed = false;  // found by FindRenames
  // Of these: a later pair has the old path, too, or the old file is still
  // there. If one with the old path is dropped before git-diff-tree(1) gives
  // out letters, as a pickaxe does, the last one is a copy as well.
  bool copied = false;
  uint32_t similarity = 0;  // of kMostSimilar, if renamed

  bool is_added() const { return !before.exists() && after.exists(); }
  bool is_removed() const { return before.exists() && !after.exists(); }
  // Only RenameSearch::kCopiesHarder looks at such a pair.
  bool is_unchanged() const {
    return before.mode == after.mode && before.object == after.object &&
           old_path == new_path;
  }
};

}  // namespace zpack::log
