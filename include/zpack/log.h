// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results of ArchiveReader::Log, which lists commits and the
// files that they change. Plain values; thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/result.h"
#include "zpack/walk.h"

namespace zpack {

// Where the earlier version of an added file is looked for.
enum class RenameSearch : uint8_t {
  kNone,
  kRenames,       // among the files that were removed, as with '-M'
  kCopies,        // and those that were changed, as with '-C'
  kCopiesHarder,  // and all others, as with '--find-copies-harder'
};

// Which commits are wanted for what they change, as in git-log(1).
enum class Pickaxe : uint8_t {
  kNone,
  kString,      // -S: files in which a text occurs more or less often
  kExpression,  // -S with --pickaxe-regex
  kLines,       // -G: files with an added or removed line that matches
  kObject,      // --find-object: files and directories with one of these ids
                // before or after
};

struct LogOptions {
  // kAll starts from all refs, in the order of their names, and from HEAD.
  WalkRefs refs = WalkRefs::kNone;
  std::vector<ObjectId> starts = {};    // further ones
  std::vector<ObjectId> excluded = {};  // left out with their ancestors
  size_t starts_before_refs = 0;        // as in WalkOptions
  // Paths relative to the top, as in gitglossary(7); empty: all. Only commits
  // that change them are listed. History is simplified as git-log(1) does.
  std::vector<std::string> pathspecs = {};
  bool full_history = false;
  // Lists the history of the only path in `pathspecs` beyond renames.
  bool follow = false;
  bool first_parent = false;  // merges are compared with their first parent
  bool reverse = false;
  uint64_t skip = 0;
  uint64_t max_commits = std::numeric_limits<uint64_t>::max();
  // Seconds since 1970, of the committer.
  std::optional<uint64_t> since = std::nullopt;
  std::optional<uint64_t> until = std::nullopt;
  uint64_t min_parents = 0;
  uint64_t max_parents = std::numeric_limits<uint64_t>::max();
  // Whether a commit is wanted, by its content. Empty: all are.
  std::function<Result<bool>(std::string_view content)> wants = {};

  // Whether LoggedCommit::files is wanted.
  bool files = false;
  RenameSearch renames = RenameSearch::kRenames;
  // How similar files must be, of kMostSimilar.
  uint32_t min_similarity = 30000;
  // Above this number of files on each side, only equal files are found. 0: no
  // limit.
  uint64_t rename_limit = 1000;
  // Only files with one of these status letters; empty: all. Files with a
  // letter that is given in lower case are left out.
  std::string diff_filter = {};
  Pickaxe pickaxe = Pickaxe::kNone;
  std::string pattern = {};            // of the pickaxe; not empty
  std::vector<ObjectId> objects = {};  // for kObject
  bool ignore_case = false;
  bool pickaxe_all = false;  // all files of a commit with one that is wanted
  bool text = false;         // kLines: also in binary files
  // Number of threads. 0 means one for each processor that this process may
  // use.
  unsigned threads = 0;
  // After a stop is requested, the search returns kInterrupted.
  std::stop_token stop = {};
};

// A similarity of 100 %.
inline constexpr uint32_t kMostSimilar = 60000;

// A file that a commit changes. Valid during the call.
struct ChangedFile {
  // 'A' added, 'D' removed, 'M' changed, 'T' of another type, 'R' renamed, 'C'
  // copied.
  char status = 'M';
  uint32_t old_mode = 0;  // 0 and an empty id: there is none
  uint32_t new_mode = 0;
  ObjectId old_id = {};
  ObjectId new_id = {};
  std::string_view old_path = {};
  std::string_view new_path = {};  // differs only after a rename or copy
  uint32_t similarity = 0;         // of kMostSimilar, for 'R' and 'C'
};

// Valid during the call.
struct LoggedCommit {
  ObjectId id = {};
  std::string_view content = {};
  std::span<const ObjectId> parents = {};  // none at a shallow boundary
  // In the order of git-diff-tree(1). Those of a merge are listed only with
  // LogOptions::first_parent.
  std::span<const ChangedFile> files = {};
};

}  // namespace zpack
