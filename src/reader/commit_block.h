// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Commits from the streams of a block of commits (FORMAT.md, "Commits").

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// The streams as they are in the block, decompressed.
struct CommitStreams {
  Bytes outside_ids;
  Bytes root_trees;
  Bytes parent_counts;
  Bytes parents;
  Bytes identities;
  Bytes identity_texts;
  Bytes times;
  Bytes time_zones;
  Bytes header_sizes;
  Bytes headers;
  Bytes message_sizes;
  Bytes messages;
};

// What commits refer to: the object numbers of the file.
struct CommitContext {
  uint32_t first_object = 0;  // of the block
  uint32_t object_count = 0;  // of the file
  ObjectFormat format = ObjectFormat::kSha1;
  std::function<ObjectId(uint32_t number)> id_of;
};

struct Commits {
  Bytes contents;               // one after the other
  std::vector<uint64_t> sizes;  // of each
};

// Rebuilds `count` commits. kCorrupt for anything out of the ordinary,
// kLimitExceeded when they take more than `max_size` bytes.
Result<Commits> DecodeCommits(const CommitStreams& streams, uint32_t count,
                              const CommitContext& context, uint64_t max_size);

}  // namespace zpack
