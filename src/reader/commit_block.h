// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Rebuilds commits from the streams of a block of commits (FORMAT.md,
// "Commits").

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "reader/commit_columns.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// The decompressed streams of a block.
struct CommitStreams {
  CommitLinkStreams links;
  Bytes identities;
  Bytes identity_texts;
  Bytes time_zones;
  Bytes header_sizes;
  Bytes headers;
  Bytes message_sizes;
  Bytes messages;
};

struct CommitContext {
  CommitNumbers numbers;
  std::function<ObjectId(ObjectNumber number)> id_of;
};

struct Commits {
  Bytes contents;               // one after the other
  std::vector<uint64_t> sizes;  // of each
};

// Rebuilds `count` commits. Returns kCorrupt if the streams are not valid, and
// kLimitExceeded if the commits take more than `max_size` bytes.
Result<Commits> DecodeCommits(const CommitStreams& streams, uint32_t count,
                              const CommitContext& context, uint64_t max_size);

}  // namespace zpack
