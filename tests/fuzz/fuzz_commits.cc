// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Commits. By the first byte: the streams of a block of commits, decoded whole
// and as a table of links; or contents of commits, from encoder to decoder,
// where all of them must come back.

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "format/commit_block.h"
#include "fuzz/fuzz_target.h"
#include "support/tree_blocks.h"
#include "support/unpacked_block.h"

namespace {

using namespace zpack;

constexpr uint32_t kObjects = 40;
constexpr ObjectNumber kFirst(10);
constexpr uint64_t kMaxContent = 1 << 18;
// Between contents.
constexpr uint8_t kSeparator = 0xfe;

void Require(bool condition) {
  if (!condition) std::abort();
}

// Ids of one byte over and over, of every sixth byte there is.
const zpack::testing::NumberedIds& Ids() {
  static const zpack::testing::NumberedIds ids =
      zpack::testing::RepeatedBytes(kObjects, 6);
  return ids;
}

format::CommitContext Context() {
  return {{kFirst, kObjects, ObjectFormat::kSha1}, Ids().id_of()};
}

// A count of one byte, and the streams as DecodeInput reads them.
void UseStreams(ByteView input) {
  ByteReader in(input);
  const uint32_t count = in.U8();
  format::BlockStreams streams(format::BlockKind::kCommits);
  if (!zpack::testing::DecodeInput(in, streams)) return;
  const auto commits =
      format::DecodeCommits(streams, count, Context(), kMaxContent);
  const auto table =
      format::DecodeCommitTable(streams, count, Context().numbers);
  if (!commits) {
    Require(commits.error().code == ErrorCode::kCorrupt ||
            commits.error().code == ErrorCode::kLimitExceeded);
    return;
  }
  Require(commits->sizes.size() == count);
  Require(table.has_value());
  if (*table) Require((*table)->commits.size() == count);
}

// Contents, each but the last with a separator after it.
void UseContents(ByteView input) {
  format::CommitBlockBuilder builder(Ids());
  builder.Begin(kFirst);
  Bytes all;
  while (!input.empty()) {
    const auto end = std::ranges::find(input, kSeparator);
    const auto size = static_cast<size_t>(end - input.begin());
    builder.Add(input.first(size));
    Append(all, input.first(size));
    input = input.subspan(std::min(size + 1, input.size()));
  }
  Require(builder.content() == all.size());
  const auto commits = format::DecodeCommits(builder.streams(), builder.count(),
                                             Context(), UINT64_MAX);
  Require(commits.has_value() && commits->contents == all);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const ByteView rest(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    UseStreams(rest);
  } else {
    UseContents(rest);
  }
  return 0;
}
