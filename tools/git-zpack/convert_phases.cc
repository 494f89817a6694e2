// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert_phases.h"

#include <array>
#include <string_view>

namespace zpack::cli {
namespace {

enum class Runs : uint8_t { kAlways, kReadingBack };

struct Row {
  std::string_view title;
  Runs runs;
  std::array<double, 3> shares;  // fast, balanced, max
};

// Per cent of the wall time: means over libgit2, redis, curl and git.git (fast:
// without git.git), two threads, files in the cache, as 'convert --json' tells
// them. They do not depend on the size of the repository, since all large ones
// grow with the bytes of objects, but on its kind: compressing took 57 to 72 of
// 100 with the balanced profile, verifying 10 to 16, counting 5 to 17.
constexpr std::array<Row, 8> kRows = {{
    {"Opening repository", Runs::kAlways, {2, 2, 1}},
    {"Enumerating objects", Runs::kAlways, {1.5, 1, 0.5}},
    {"Counting objects", Runs::kAlways, {10, 10, 4}},
    {"Grouping paths", Runs::kAlways, {6, 3, 1}},
    {"Compressing objects", Runs::kAlways, {59, 67, 87}},
    {"Checking checksums", Runs::kReadingBack, {0.5, 0.5, 0.1}},
    {"Verifying objects", Runs::kReadingBack, {17, 13, 5}},
    {"Comparing objects", Runs::kAlways, {4, 3, 1}},
}};

}  // namespace

std::vector<PhaseShare> ConvertPhases(Profile profile, ReadBack read_back) {
  std::vector<PhaseShare> phases;
  phases.reserve(kRows.size());
  for (const Row& row : kRows) {
    if (row.runs == Runs::kReadingBack && read_back == ReadBack::kNo) continue;
    phases.push_back({row.title, row.shares[static_cast<size_t>(profile)]});
  }
  return phases;
}

}  // namespace zpack::cli
