// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/commit_columns.h"

#include <string_view>
#include <utility>

#include "base/error.h"

namespace zpack::format {
namespace {

uint64_t Difference(ByteReader& in) {
  return static_cast<uint64_t>(UnZigZag(in.Varint()));
}

}  // namespace

std::unexpected<Error> BadCommits(std::string_view what) {
  return MakeError(ErrorCode::kCorrupt, "bad {} in block of commits", what);
}

void CommitColumnEncoder::AddLinks(ObjectNumber commit, const CommitRow& row,
                                   BlockStreams& streams) {
  streams.Difference(StreamKind::kRootTrees, row.tree.value(), expected_tree_);
  expected_tree_ = std::max(expected_tree_, uint64_t{row.tree.value()} + 1);
  for (const LinkNumber parent : row.parents) {
    streams.Difference(StreamKind::kParents, parent.value(),
                       uint64_t{commit.value()} + 1);
  }
}

void CommitColumnEncoder::Add(ObjectNumber commit, const CommitRow& row,
                              BlockStreams& streams) {
  // 0 stands for a verbatim commit.
  if (row.verbatim) {
    streams.Number(StreamKind::kParentCounts, 0);
    return;
  }
  streams.Number(StreamKind::kParentCounts, row.parents.size() + 1);
  AddLinks(commit, row, streams);
  const auto author_time = static_cast<uint64_t>(row.author_time);
  const auto time = static_cast<uint64_t>(row.committer_time);
  streams.Difference(StreamKind::kTimes, time, last_time_);
  streams.Difference(StreamKind::kTimes, time, author_time);
  last_time_ = time;
}

CommitColumns::CommitColumns(const BlockStreams& streams,
                             const CommitNumbers& numbers)
    : links_(numbers.object_count, numbers.format,
             streams[StreamKind::kOutsideIds]),
      root_trees_(streams[StreamKind::kRootTrees]),
      parent_counts_(streams[StreamKind::kParentCounts]),
      parents_(streams[StreamKind::kParents]),
      times_(streams[StreamKind::kTimes]),
      next_object_(uint64_t{numbers.first_object.value()} + 1) {}

Status CommitColumns::Check(uint32_t count) {
  if (!links_.IsValid()) return BadCommits("outside ids");
  if (parent_counts_.Count(count, 1) != count) {
    return BadCommits("parent counts");
  }
  return {};
}

Status CommitColumns::Next(CommitRow& row) {
  const uint64_t next_object = next_object_++;
  const uint64_t parents = parent_counts_.Varint();
  if (!parent_counts_.ok()) return BadCommits("parent count");
  row.parents.clear();
  row.verbatim = parents == 0;
  if (row.verbatim) return {};
  ZPACK_TRY(ReadLink(root_trees_, expected_tree_, row.tree));
  expected_tree_ = std::max(expected_tree_, uint64_t{row.tree.value()} + 1);
  if (parents_.Count(parents - 1, 1) != parents - 1) {
    return BadCommits("parents");
  }
  row.parents.reserve(parents - 1);
  for (uint64_t i = 0; i + 1 < parents; ++i) {
    ZPACK_TRY(ReadLink(parents_, next_object, row.parents.emplace_back()));
  }
  // Unsigned arithmetic wraps, as it does in CommitColumnEncoder.
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

Status CommitColumns::ReadLink(ByteReader& in, uint64_t expected,
                               LinkNumber& link) const {
  // Unsigned arithmetic wraps, so an invalid number becomes too large.
  const uint64_t value = expected + Difference(in);
  if (!in.ok() || value >= links_.end()) return BadCommits("object number");
  link = LinkNumber(static_cast<uint32_t>(value));
  return {};
}

void CommitTable::Add(uint64_t time, LinkNumber tree,
                      const std::vector<LinkNumber>& its_parents) {
  parents.insert(parents.end(), its_parents.begin(), its_parents.end());
  commits.push_back({time, tree, parents.size()});
}

Result<std::optional<CommitTable>> DecodeCommitTable(
    BlockStreams streams, uint32_t count, const CommitNumbers& numbers) {
  CommitColumns columns(streams, numbers);
  ZPACK_TRY(columns.Check(count));
  CommitTable table;
  table.object_count = numbers.object_count;
  table.commits.reserve(count);
  CommitRow row;
  for (uint32_t index = 0; index < count; ++index) {
    ZPACK_TRY(columns.Next(row));
    if (row.verbatim) return std::nullopt;
    // Like Git, which reads a time before 1970 as one far in the future.
    table.Add(static_cast<uint64_t>(row.committer_time), row.tree, row.parents);
  }
  if (!columns.exhausted()) return BadCommits("end of streams");
  table.outside_ids = std::move(streams[StreamKind::kOutsideIds]);
  return table;
}

}  // namespace zpack::format
