// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/convert_phases.h"

#include <algorithm>
#include <array>

namespace zpack::cli {
namespace {

enum class Runs : uint8_t { kAlways, kReadingBack };

struct Row {
  Phase phase;
  Runs runs;
  std::array<double, 3> shares;  // fast, balanced, max
};

// Percentages of wall time from 'convert --json': means over libgit2, redis,
// curl and git.git, with two threads and cached files. The shares hardly depend
// on the size of the repository, because all large ones grow with the bytes of
// the objects. They depend on the kind of repository: with the balanced
// profile, compressing took 67 to 80 %, verifying 9 to 19 %, counting 3 to 13
// %.
constexpr std::array<Row, 8> kRows = {{
    {Phase::kOpeningRepository, Runs::kAlways, {2, 1.3, 0.4}},
    {Phase::kEnumeratingObjects, Runs::kAlways, {0.1, 0.1, 0.1}},
    {Phase::kCountingObjects, Runs::kAlways, {9, 5, 2}},
    {Phase::kGroupingPaths, Runs::kAlways, {6, 4, 1}},
    {Phase::kCompressingObjects, Runs::kAlways, {59, 75, 91}},
    {Phase::kCheckingChecksums, Runs::kReadingBack, {0.6, 0.3, 0.1}},
    {Phase::kVerifyingObjects, Runs::kReadingBack, {23, 14, 5}},
    {Phase::kComparingObjects, Runs::kAlways, {0.3, 0.3, 0.2}},
}};

}  // namespace

std::vector<PhaseShare> ConvertPhases(Profile profile, ReadBack read_back) {
  // kCold does the work of kMax and was not measured by itself.
  const auto measured = static_cast<size_t>(std::min(profile, Profile::kMax));
  std::vector<PhaseShare> phases;
  phases.reserve(kRows.size());
  for (const Row& row : kRows) {
    if (row.runs == Runs::kReadingBack && read_back == ReadBack::kNo) continue;
    phases.push_back({row.phase, row.shares[measured]});
  }
  return phases;
}

}  // namespace zpack::cli
