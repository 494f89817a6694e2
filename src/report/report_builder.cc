// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/report_builder.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "object/path_table.h"
#include "report/directory_sums.h"
#include "report/histogram.h"

namespace zpack {
namespace {

using Sum = RepositoryReport::Sum;

// Commits that are later are damaged, or lie.
constexpr int64_t kLatestTime = int64_t{4102444800};  // 2100-01-01
constexpr size_t kMaxSubject = 200;

bool IsReached(const ObjectHistory& history, ListRank rank) {
  return history.brought_by[rank] != ObjectHistory::kNoCommit;
}

void Add(Sum& sum, uint64_t content, uint64_t stored) {
  ++sum.objects;
  sum.content_bytes += content;
  sum.stored_bytes += stored;
}

// Collects the commits that the lists of a report name.
class NamedCommits {
 public:
  NamedCommits(const ReportInput& input, RepositoryReport& report)
      : input_(input), report_(report) {}

  // Index in `commits` of the report.
  Result<std::optional<uint32_t>> Name(uint32_t commit) {
    if (commit == ObjectHistory::kNoCommit) return std::nullopt;
    const auto [at, added] = places_.try_emplace(
        commit, static_cast<uint32_t>(report_.commits.size()));
    if (added) {
      ZPACK_ASSIGN_OR_RETURN(RepositoryReport::Commit read, Read(commit));
      report_.commits.push_back(std::move(read));
    }
    return at->second;
  }

 private:
  Result<RepositoryReport::Commit> Read(uint32_t commit) {
    const ObjectHistory::Commit& known = input_.history.commits[commit];
    RepositoryReport::Commit result;
    result.id = input_.history.list.ids[known.rank];
    result.time = static_cast<int64_t>(known.time);
    Bytes content;
    ZPACK_TRY(input_.source.Read(result.id, content));
    const std::string_view text(reinterpret_cast<const char*>(content.data()),
                                content.size());
    const size_t header = text.find("\n\n");
    if (header == std::string_view::npos) return result;
    std::string_view message = text.substr(header + 2);
    message = message.substr(0, message.find('\n'));
    result.subject = message.substr(0, kMaxSubject);
    return result;
  }

  const ReportInput& input_;
  RepositoryReport& report_;
  std::unordered_map<uint32_t, uint32_t> places_;
};

// What the blobs of one path are.
struct PathSum {
  Sum sum;
  uint32_t first = ObjectHistory::kNoCommit;
  uint32_t last = ObjectHistory::kNoCommit;
};

std::map<PathNumber, PathSum> SumPaths(const ReportInput& input) {
  const ObjectList& list = input.history.list;
  std::map<PathNumber, PathSum> sums;
  for (const ListRank rank : list.ids.ranks()) {
    if (list.types[rank] != ObjectType::kBlob ||
        !IsReached(input.history, rank)) {
      continue;
    }
    PathSum& sum = sums[list.paths[rank]];
    Add(sum.sum, list.sizes[rank], input.stored[rank].bytes);
    const uint32_t commit = input.history.brought_by[rank];
    sum.first = std::min(sum.first, commit);
    sum.last = sum.last == ObjectHistory::kNoCommit
                   ? commit
                   : std::max(sum.last, commit);
  }
  return sums;
}

void SumTypes(const ReportInput& input, RepositoryReport& report) {
  const ObjectList& list = input.history.list;
  for (size_t i = 0; i < kAllObjectTypes.size(); ++i) {
    report.types[i].type = kAllObjectTypes[i];
  }
  std::map<std::string, Sum> extensions;
  std::vector<uint64_t> chains;
  std::vector<uint64_t> costs;
  for (const ListRank rank : list.ids.ranks()) {
    const StoredObject& stored = input.stored[rank];
    const ObjectType type = list.types[rank];
    Add(report.types[static_cast<size_t>(type) - 1].sum, list.sizes[rank],
        stored.bytes);
    const bool reached = IsReached(input.history, rank);
    if (!reached && type != ObjectType::kTag) {
      Add(report.unreachable, list.sizes[rank], stored.bytes);
    }
    if (type != ObjectType::kBlob) continue;
    chains.push_back(stored.chain);
    costs.push_back(stored.read_cost);
    const std::string_view name = list.path_table.Name(list.paths[rank]);
    Add(extensions[std::string(FileExtension(name))], list.sizes[rank],
        stored.bytes);
  }
  report.chain_lengths = MakeHistogram(std::move(chains));
  report.read_costs = MakeHistogram(std::move(costs));
  for (const auto& [extension, sum] : extensions) {
    report.extensions.push_back({extension, sum});
  }
  std::ranges::stable_sort(
      report.extensions, std::greater(),
      [](const auto& row) { return row.sum.stored_bytes; });
}

Status ListBlobs(const ReportInput& input, NamedCommits& commits,
                 RepositoryReport& report) {
  const ObjectList& list = input.history.list;
  std::vector<ListRank> blobs;
  for (const ListRank rank : list.ids.ranks()) {
    if (list.types[rank] == ObjectType::kBlob) blobs.push_back(rank);
  }
  const size_t count = std::min(blobs.size(), RepositoryReport::kTop);
  std::ranges::partial_sort(
      blobs, blobs.begin() + static_cast<ptrdiff_t>(count), std::greater(),
      [&](ListRank rank) {
        return std::tuple(input.stored[rank].bytes, list.sizes[rank],
                          list.ids[rank]);
      });
  blobs.resize(count);
  for (const ListRank rank : blobs) {
    ZPACK_ASSIGN_OR_RETURN(const auto commit,
                           commits.Name(input.history.brought_by[rank]));
    report.largest_blobs.push_back(
        {list.ids[rank], list.path_table.FullPath(list.paths[rank]),
         list.sizes[rank], input.stored[rank].bytes, commit});
  }
  return {};
}

// The first files by `key`, largest first.
template <typename Key>
Status ListFiles(const ReportInput& input,
                 const std::map<PathNumber, PathSum>& sums, Key key,
                 NamedCommits& commits,
                 std::vector<RepositoryReport::File>& files) {
  std::vector<std::pair<PathNumber, PathSum>> sorted(sums.begin(), sums.end());
  const size_t count = std::min(sorted.size(), RepositoryReport::kTop);
  std::ranges::partial_sort(sorted,
                            sorted.begin() + static_cast<ptrdiff_t>(count),
                            [&](const auto& a, const auto& b) {
                              return std::pair(key(b.second.sum), a.first) <
                                     std::pair(key(a.second.sum), b.first);
                            });
  sorted.resize(count);
  for (const auto& [path, sum] : sorted) {
    ZPACK_ASSIGN_OR_RETURN(const auto first, commits.Name(sum.first));
    ZPACK_ASSIGN_OR_RETURN(const auto last, commits.Name(sum.last));
    files.push_back(
        {input.history.list.path_table.FullPath(path), sum.sum, first, last});
  }
  return {};
}

std::pair<int32_t, uint32_t> MonthOf(uint64_t time) {
  const auto seconds = static_cast<int64_t>(time);
  if (seconds < 0 || seconds >= kLatestTime) return {1970, 1};
  const std::chrono::sys_seconds point{std::chrono::seconds(seconds)};
  const std::chrono::year_month_day day{
      std::chrono::floor<std::chrono::days>(point)};
  return {static_cast<int>(day.year()), static_cast<unsigned>(day.month())};
}

void SumMonths(const ReportInput& input, RepositoryReport& report) {
  const ObjectHistory& history = input.history;
  std::map<std::pair<int32_t, uint32_t>, RepositoryReport::Month> months;
  std::vector<RepositoryReport::Month*> of_commit;
  of_commit.reserve(history.commits.size());
  for (const ObjectHistory::Commit& commit : history.commits) {
    const auto key = MonthOf(commit.time);
    RepositoryReport::Month& month = months[key];
    std::tie(month.year, month.month) = key;
    ++month.commits;
    of_commit.push_back(&month);
  }
  for (const ListRank rank : history.list.ids.ranks()) {
    if (!IsReached(history, rank)) continue;
    Add(of_commit[history.brought_by[rank]]->sum, history.list.sizes[rank],
        input.stored[rank].bytes);
  }
  for (const auto& [key, month] : months) report.months.push_back(month);
}

}  // namespace

Status DescribeObjects(const ReportInput& input, RepositoryReport& report) {
  report.history_commits = input.history.commits.size();
  SumTypes(input, report);
  SumMonths(input, report);
  SumDirectories(input, report);
  const std::map<PathNumber, PathSum> paths = SumPaths(input);
  NamedCommits commits(input, report);
  ZPACK_TRY(ListBlobs(input, commits, report));
  ZPACK_TRY(ListFiles(
      input, paths, [](const Sum& sum) { return sum.stored_bytes; }, commits,
      report.largest_files));
  return ListFiles(
      input, paths, [](const Sum& sum) { return sum.objects; }, commits,
      report.longest_histories);
}

}  // namespace zpack
