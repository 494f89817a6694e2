// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Trees. By the first byte: the streams of a block of trees, parsed, and every
// tree rebuilt in both ways; or contents of trees, from encoder to decoder,
// where all of them must come back.

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "support/tree_blocks.h"

namespace {

using namespace zpack;
using zpack::testing::NumberedIds;

constexpr format::BlockLimits kLimits{1 << 14, 1 << 18};
constexpr uint32_t kObjects = 40;
// Between contents.
constexpr uint8_t kSeparator = 0xfe;

void Require(bool condition) {
  if (!condition) std::abort();
}

// Ids of one byte over and over, of every sixth byte there is.
const NumberedIds& Ids() {
  static const NumberedIds ids = zpack::testing::RepeatedBytes(kObjects, 6);
  return ids;
}

// Calls `check` with index and content of each tree, which are the same in
// whatever way they are rebuilt.
template <typename Check>
void ForEach(format::TreeBlock parsed, Check check) {
  const DecodedBlock block =
      zpack::testing::DecodedFrom(std::move(parsed), Ids().id_of());
  Bytes buffer;
  const Status visited = block.ForEachObject(
      UINT64_MAX, [&](size_t index, ByteView content) -> Status {
        Require(content.size() == block.objects.sizes[index]);
        Require(std::ranges::equal(*block.Object(index, buffer), content));
        check(index, content);
        return {};
      });
  Require(visited.has_value());
}

// A count of one byte, and the streams as DecodeInput reads them.
void UseStreams(ByteView input) {
  ByteReader in(input);
  const uint32_t count = in.U8();
  format::BlockStreams streams(format::BlockKind::kTrees);
  if (!zpack::testing::DecodeInput(in, streams)) return;
  auto parsed = format::TreeBlock::Parse(std::move(streams), count, kObjects,
                                         ObjectFormat::kSha1, kLimits);
  if (!parsed) {
    Require(parsed.error().code == ErrorCode::kCorrupt ||
            parsed.error().code == ErrorCode::kLimitExceeded);
    return;
  }
  ForEach(*std::move(parsed), [](size_t, ByteView) {});
}

// The block size in two bytes, and contents, each behind a byte for its path.
void UseContents(ByteView input) {
  ByteReader in(input);
  const uint16_t block_size = in.U16();
  if (!in.ok()) return;
  ByteView rest = in.Raw(in.remaining());
  std::vector<zpack::testing::PathTree> trees;
  while (!rest.empty()) {
    const auto end = std::ranges::find(rest.subspan(1), kSeparator);
    trees.push_back({Bytes(rest.begin() + 1, end), PathNumber(rest[0] % 4)});
    const auto used =
        static_cast<size_t>(end - rest.begin()) + (end == rest.end() ? 0 : 1);
    rest = rest.subspan(used);
  }

  const NumberedIds& ids = Ids();
  static BlockEncoder encoder(1);
  TreeStretchEncoder stretch(ids, block_size, encoder);
  EncodedBlocks blocks;
  stretch.Begin({}, {&blocks});
  for (const auto& tree : trees) {
    Require(stretch.Add(tree.content, tree.path).has_value());
  }
  Require(stretch.Finish().has_value());

  size_t first = 0;
  for (const EncodedBlock& block : blocks) {
    Require(block.first_object.value() == first);
    zpack::testing::UnpackedBlock unpacked =
        zpack::testing::UnpackBlock(block.chunk);
    auto parsed = format::TreeBlock::Parse(
        std::move(unpacked.streams), unpacked.header.object_count, kObjects,
        ObjectFormat::kSha1, format::BlockLimits{UINT32_MAX, UINT64_MAX});
    Require(parsed.has_value());
    const size_t count = parsed->count();
    Require(first + count <= trees.size());
    ForEach(*std::move(parsed), [&](size_t index, ByteView content) {
      Require(std::ranges::equal(content, trees[first + index].content));
    });
    first += count;
  }
  Require(first == trees.size());
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
