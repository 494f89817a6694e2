// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results of the searches of ArchiveReader. Plain values;
// thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/line_query.h"
#include "zpack/object_id.h"

namespace zpack {

// What is done with files that Git takes for binary: those with a zero byte
// among the first 8,000. Attributes are not read.
enum class BinaryFiles : uint8_t {
  kWhole,    // searched; that a line matches is all that is said
  kText,     // as all others
  kWithout,  // not searched
};

struct SearchOptions {
  LineQuery query;
  // Paths relative to the top, as in gitglossary(7); empty: all.
  std::vector<std::string> pathspecs = {};
  BinaryFiles binary = BinaryFiles::kWhole;
  // Number of threads. 0 means one for each processor that this process may
  // use.
  unsigned threads = 0;
  // After a stop is requested, the search returns kInterrupted.
  std::stop_token stop = {};
};

// A file of a tree. Valid during the call.
struct SearchedFile {
  std::string_view path = {};  // relative to the tree; empty for a blob
  ObjectId id;
  bool binary = false;
  std::string_view text = {};                // empty for a binary file
  std::span<const MatchingLine> lines = {};  // those that match
};

struct TreeSearchOptions : SearchOptions {
  // Directories below that of a pathspec to look into; nothing: all.
  std::optional<uint32_t> max_depth = std::nullopt;
  // Whether files without a line that matches are visited, too.
  bool all_files = false;
};

// A line that some version of a file has. Valid during the call.
struct HistoryMatch {
  std::string_view path = {};
  std::string_view text = {};  // of the line; empty for a binary file
  bool binary = false;         // the file matches; nothing more is known
  uint64_t line = 0;           // its number in `blob`
  // The first version with the line, and the commit that brought it: no commit
  // that has the line at this path is older in the order of git-rev-list(1)
  // with --date-order. Without commit and path if no commit has the blob.
  ObjectId blob = {};
  std::optional<ObjectId> brought = std::nullopt;
  // Whether a branch, a remote branch or HEAD has the line at this path now;
  // without any of these, another ref.
  bool present = false;
  // The youngest commit that does not have the line at this path while all its
  // parents do. Nothing if the line is present, or if no single commit removed
  // it.
  std::optional<ObjectId> removed = std::nullopt;
};

// A version of a file. Valid during the call.
struct MatchingBlob {
  ObjectId id = {};
  std::string_view path =
      {};  // the first one of the history; empty if none has it
  bool binary = false;
  uint64_t lines = 0;  // that match; 0 only with all_blobs
};

struct HistorySearchOptions : SearchOptions {
  // SearchVersions: also visit blobs without a line that matches.
  bool all_blobs = false;
  // SearchVersions: end with any blob that is to be visited. Without pathspecs,
  // it has no path.
  bool first_only = false;
};

}  // namespace zpack
