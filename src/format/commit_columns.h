// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The columns of a block of commits that hold links and times (FORMAT.md,
// "Commits"): CommitColumnEncoder writes them commit by commit, and
// CommitColumns reads them. Pure. Thread-compatible.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/block_streams.h"
#include "format/link_numbers.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::format {

// Returns kCorrupt with the message "bad WHAT in block of commits".
std::unexpected<Error> BadCommits(std::string_view what);

// The streams of these columns, and of the links alone.
inline constexpr std::array kCommitColumns = {
    StreamKind::kOutsideIds, StreamKind::kRootTrees, StreamKind::kParentCounts,
    StreamKind::kParents, StreamKind::kTimes};
inline constexpr std::array kCommitLinks = {
    StreamKind::kOutsideIds, StreamKind::kRootTrees, StreamKind::kParents};

// The links and times of one commit.
struct CommitRow {
  bool verbatim = false;  // if true, no other member is set
  LinkNumber tree;
  std::vector<LinkNumber> parents;
  int64_t author_time = 0;
  int64_t committer_time = 0;
};

class CommitColumnEncoder {
 public:
  // Appends the row of the commit with number `commit`. The ids of outside
  // links are in the stream kOutsideIds already.
  void Add(ObjectNumber commit, const CommitRow& row, BlockStreams& streams);
  // Only its links. REQUIRES: !row.verbatim.
  void AddLinks(ObjectNumber commit, const CommitRow& row,
                BlockStreams& streams);

 private:
  uint64_t expected_tree_ = 0;
  uint64_t last_time_ = 0;
};

// The meaning of the numbers in a block of commits.
struct CommitNumbers {
  ObjectNumber first_object;  // of the block
  uint32_t object_count = 0;  // of the file
  ObjectFormat format = ObjectFormat::kSha1;
};

// Reads the columns commit by commit.
class CommitColumns {
 public:
  // `streams` must outlive this object.
  CommitColumns(const BlockStreams& streams, const CommitNumbers& numbers);

  // Returns kCorrupt if the streams cannot hold `count` commits.
  Status Check(uint32_t count);
  // Reads the next commit.
  Status Next(CommitRow& row);
  // True if all streams have been read to the end.
  bool exhausted() const;
  // What the links of the rows refer to.
  const LinkDecoder& links() const { return links_; }

 private:
  Status ReadLink(ByteReader& in, uint64_t expected, LinkNumber& link) const;

  LinkDecoder links_;
  ByteReader root_trees_;
  ByteReader parent_counts_;
  ByteReader parents_;
  ByteReader times_;
  uint64_t next_object_;  // number of the object after the next commit
  uint64_t expected_tree_ = 0;
  uint64_t last_time_ = 0;
};

// The links of the commits of one block.
struct CommitTable {
  struct Commit {
    uint64_t time = 0;  // of the committer
    LinkNumber tree;
    // End of the commit's parents in `parents`. They begin at the end of the
    // previous commit's parents.
    uint64_t parents_end = 0;
  };
  std::vector<Commit> commits;
  std::vector<LinkNumber> parents;
  uint32_t object_count = 0;  // CommitNumbers::object_count
  Bytes outside_ids;

  // What the links refer to. Valid as long as the table.
  LinkDecoder links(ObjectFormat format) const {
    return {object_count, format, outside_ids};
  }
  // Appends a commit.
  void Add(uint64_t time, LinkNumber tree,
           const std::vector<LinkNumber>& parents);
};

// Returns nullopt if a commit is stored verbatim, because the columns do not
// have its links. Returns kCorrupt if the streams are not valid.
Result<std::optional<CommitTable>> DecodeCommitTable(
    BlockStreams streams, uint32_t count, const CommitNumbers& numbers);

}  // namespace zpack::format
