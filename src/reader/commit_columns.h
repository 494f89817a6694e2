// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What commits name and when they were made, from the columns of a block of
// commits that tell it (FORMAT.md, "Commits"). Thread-compatible.

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

// kCorrupt: "bad WHAT in block of commits".
std::unexpected<Error> BadCommits(std::string_view what);

// The streams as they are in the block, decompressed.
struct CommitLinkStreams {
  Bytes outside_ids;
  Bytes root_trees;
  Bytes parent_counts;
  Bytes parents;
  Bytes times;
};

// What the numbers in a block of commits refer to.
struct CommitNumbers {
  ObjectNumber first_object;  // of the block
  uint32_t object_count = 0;  // of the file
  ObjectFormat format = ObjectFormat::kSha1;
};

// Reads the columns, commit by commit.
class CommitColumns {
 public:
  // One commit.
  struct Row {
    bool verbatim = false;  // then nothing else is set
    LinkNumber tree;
    std::vector<LinkNumber> parents;
    int64_t author_time = 0;
    int64_t committer_time = 0;
  };

  // `streams` outlives the columns.
  CommitColumns(const CommitLinkStreams& streams, const CommitNumbers& numbers);

  // kCorrupt unless there can be `count` commits.
  Status Check(uint32_t count);
  // The next commit.
  Status Next(Row& row);
  // True when nothing is left of any stream.
  bool exhausted() const;

 private:
  Status ReadNumber(ByteReader& in, uint64_t expected,
                    LinkNumber& number) const;

  CommitNumbers numbers_;
  size_t outside_bytes_;
  uint64_t number_limit_;  // numbers are below it
  ByteReader root_trees_;
  ByteReader parent_counts_;
  ByteReader parents_;
  ByteReader times_;
  uint64_t next_object_;  // the number after that of the next commit
  uint64_t expected_tree_ = 0;
  uint64_t last_time_ = 0;
};

// What the commits of one block name.
struct CommitTable {
  struct Commit {
    uint64_t time = 0;  // of the committer
    LinkNumber tree;
    uint64_t parents_end = 0;  // its parents begin where those before it end
  };
  std::vector<Commit> commits;
  std::vector<LinkNumber> parents;
  Bytes outside_ids;

  // Appends a commit.
  void Add(uint64_t time, LinkNumber tree,
           const std::vector<LinkNumber>& parents);
};

// Nothing when a commit is stored verbatim, which the columns do not tell of.
// kCorrupt for anything out of the ordinary.
Result<std::optional<CommitTable>> DecodeCommitTable(
    CommitLinkStreams streams, uint32_t count, const CommitNumbers& numbers);

}  // namespace zpack
