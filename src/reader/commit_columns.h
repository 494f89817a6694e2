// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the links and times of commits from the columns of a block of commits
// (FORMAT.md, "Commits"). Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Returns kCorrupt with the message "bad WHAT in block of commits".
std::unexpected<Error> BadCommits(std::string_view what);

// The decompressed streams that hold links and times.
struct CommitLinkStreams {
  Bytes outside_ids;
  Bytes root_trees;
  Bytes parent_counts;
  Bytes parents;
  Bytes times;
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
  // The links and times of one commit.
  struct Row {
    bool verbatim = false;  // if true, no other member is set
    LinkNumber tree;
    std::vector<LinkNumber> parents;
    int64_t author_time = 0;
    int64_t committer_time = 0;
  };

  // `streams` must outlive this object.
  CommitColumns(const CommitLinkStreams& streams, const CommitNumbers& numbers);

  // Returns kCorrupt if the streams cannot hold `count` commits.
  Status Check(uint32_t count);
  // Reads the next commit.
  Status Next(Row& row);
  // True if all streams have been read to the end.
  bool exhausted() const;

 private:
  Status ReadNumber(ByteReader& in, uint64_t expected,
                    LinkNumber& number) const;

  CommitNumbers numbers_;
  size_t outside_bytes_;
  uint64_t number_limit_;  // numbers are less than this
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
  Bytes outside_ids;

  // Appends a commit.
  void Add(uint64_t time, LinkNumber tree,
           const std::vector<LinkNumber>& parents);
};

// Returns nullopt if a commit is stored verbatim, because the columns do not
// have its links. Returns kCorrupt if the streams are not valid.
Result<std::optional<CommitTable>> DecodeCommitTable(
    CommitLinkStreams streams, uint32_t count, const CommitNumbers& numbers);

}  // namespace zpack
