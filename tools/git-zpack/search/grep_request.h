// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line of 'grep' asks for. Plain values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "zpack/search.h"

namespace zpack::cli {

// What is printed of a file of a tree.
struct GrepOutput {
  enum class What : uint8_t {
    kLines,
    kMatches,
    kNames,
    kNamesWithout,
    kCounts
  };
  What what = What::kLines;
  bool names = true;  // before each line
  bool numbers = false;
  bool columns = false;
  bool zero_after_names = false;
  bool heading = false;  // the name once, on a line of its own
  bool breaks = false;   // an empty line between files
  bool quiet = false;
  bool colors = false;
  uint64_t before = 0;  // lines of context
  uint64_t after = 0;
  std::optional<uint64_t> max_count = std::nullopt;  // for each file
};

struct GrepRequest {
  std::string file;
  std::vector<std::string> revisions;
  bool all_history = false;
  std::optional<std::string> format = std::nullopt;
  TreeSearchOptions search;
  GrepOutput output;
};

void AddGrepOptions(po::options_description& options);

// Throws UsageError and CommandFailure.
GrepRequest ParseGrepRequest(const po::variables_map& values, const Io& io);

}  // namespace zpack::cli
