// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/commit_columns.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

uint64_t Difference(ByteReader& in) {
  return static_cast<uint64_t>(UnZigZag(in.Varint()));
}

}  // namespace

std::unexpected<Error> BadCommits(std::string_view what) {
  return MakeError(ErrorCode::kCorrupt, "bad {} in block of commits", what);
}

CommitColumns::CommitColumns(const CommitLinkStreams& streams,
                             const CommitNumbers& numbers)
    : numbers_(numbers),
      outside_bytes_(streams.outside_ids.size()),
      number_limit_(numbers.object_count +
                    outside_bytes_ / ObjectIdWidth(numbers.format)),
      root_trees_(streams.root_trees),
      parent_counts_(streams.parent_counts),
      parents_(streams.parents),
      times_(streams.times),
      next_object_(uint64_t{numbers.first_object.value()} + 1) {}

Status CommitColumns::Check(uint32_t count) {
  if (outside_bytes_ % ObjectIdWidth(numbers_.format) != 0 ||
      number_limit_ > std::numeric_limits<uint32_t>::max()) {
    return BadCommits("outside ids");
  }
  if (parent_counts_.Count(count, 1) != count)
    return BadCommits("parent counts");
  return {};
}

Status CommitColumns::Next(Row& row) {
  const uint64_t next_object = next_object_++;
  const uint64_t parents = parent_counts_.Varint();
  if (!parent_counts_.ok()) return BadCommits("parent count");
  row.parents.clear();
  row.verbatim = parents == 0;
  if (row.verbatim) return {};
  ZPACK_TRY(ReadNumber(root_trees_, expected_tree_, row.tree));
  expected_tree_ = std::max(expected_tree_, uint64_t{row.tree.value()} + 1);
  if (parents_.Count(parents - 1, 1) != parents - 1)
    return BadCommits("parents");
  row.parents.reserve(parents - 1);
  for (uint64_t i = 0; i + 1 < parents; ++i) {
    ZPACK_TRY(ReadNumber(parents_, next_object, row.parents.emplace_back()));
  }
  // Unsigned arithmetic wraps, as it does in the writer.
  last_time_ += Difference(times_);
  row.committer_time = static_cast<int64_t>(last_time_);
  row.author_time = static_cast<int64_t>(last_time_ - Difference(times_));
  if (!times_.ok()) return BadCommits("times");
  return {};
}

bool CommitColumns::exhausted() const {
  return parent_counts_.exhausted() && root_trees_.exhausted() &&
         parents_.exhausted() && times_.exhausted();
}

Status CommitColumns::ReadNumber(ByteReader& in, uint64_t expected,
                                 LinkNumber& number) const {
  // Unsigned arithmetic wraps, so an invalid number becomes too large.
  const uint64_t value = expected + Difference(in);
  if (!in.ok() || value >= number_limit_) return BadCommits("object number");
  number = LinkNumber(static_cast<uint32_t>(value));
  return {};
}

void CommitTable::Add(uint64_t time, LinkNumber tree,
                      const std::vector<LinkNumber>& its_parents) {
  parents.insert(parents.end(), its_parents.begin(), its_parents.end());
  commits.push_back({time, tree, parents.size()});
}

Result<std::optional<CommitTable>> DecodeCommitTable(
    CommitLinkStreams streams, uint32_t count, const CommitNumbers& numbers) {
  CommitColumns columns(streams, numbers);
  ZPACK_TRY(columns.Check(count));
  CommitTable table;
  table.commits.reserve(count);
  CommitColumns::Row row;
  for (uint32_t index = 0; index < count; ++index) {
    ZPACK_TRY(columns.Next(row));
    if (row.verbatim) return std::nullopt;
    // Like Git, which reads a time before 1970 as one far in the future.
    table.Add(static_cast<uint64_t>(row.committer_time), row.tree, row.parents);
  }
  if (!columns.exhausted()) return BadCommits("end of streams");
  table.outside_ids = std::move(streams.outside_ids);
  return table;
}

}  // namespace zpack
