// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/bombs.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "format/block.h"
#include "format/chunk.h"
#include "format/limits.h"
#include "object/object_hasher.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "support/memory_file.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using format::BlockKind;
using format::StreamKind;

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

constexpr format::BlockHeader kTreeBlock{.kind = BlockKind::kTrees,
                                         .type = ObjectType::kTree};
constexpr format::BlockHeader kDeltaBlock{.kind = BlockKind::kDeltas,
                                          .type = ObjectType::kBlob};
constexpr format::BlockHeader kCommitBlock{.kind = BlockKind::kCommits,
                                           .type = ObjectType::kCommit};

// Adds a tree of `entries` files called 'a', and `empty` trees that remove all
// of them.
uint32_t AddLongTree(HostileFile& file, uint64_t entries, uint32_t empty) {
  const uint64_t size = 29 * entries;
  Bytes sizes = Varints({size});
  Bytes bases = {0};
  Bytes counts = Varints({1 + 2 * entries});
  for (uint32_t i = 1; i <= empty; ++i) {
    ByteWriter(sizes).Varint(ZigZag(-static_cast<int64_t>(size)));
    ByteWriter(bases).Varint(i);
    ByteWriter(counts).Varint(entries);
  }
  // Kinds of edits are all additions or, beside them, all removals.
  std::vector<LongStream> streams = {
      {StreamKind::kEditRuns, {}, entries * (1 + empty), 0},
      {StreamKind::kNames, {0}, entries - 1, 1},
      {StreamKind::kModes, {}, entries, 0},
      {StreamKind::kChildren, {0}, entries - 1, 2}};
  if (empty == 0) {
    streams.push_back({StreamKind::kEditKinds, {}, entries, 2});
  } else {
    streams.push_back(
        {StreamKind::kEditKinds, Repeated(2, entries), entries * empty, 1});
  }
  return file.AddLong(kTreeBlock, streams,
                      TreeStreams({{StreamKind::kSizes, std::move(sizes)},
                                   {StreamKind::kBases, std::move(bases)},
                                   {StreamKind::kEditCounts, std::move(counts)},
                                   {StreamKind::kNameTexts, {'a', 0}}}),
                      1 + empty);
}

// Deltas of `objects` blobs of `size` equal bytes, each against the first.
RawStreams EqualBlobs(uint32_t objects, uint64_t size) {
  Bytes sizes = Varints({size});
  Append(sizes, Repeated(0, objects - 1));
  Bytes bases = {0};
  for (uint32_t i = 1; i < objects; ++i) ByteWriter(bases).Varint(i);
  return {{StreamKind::kSizes, std::move(sizes)},
          {StreamKind::kBases, std::move(bases)},
          {StreamKind::kLiteralLengths, Repeated(0, objects - 1)},
          {StreamKind::kCopyLengths, Repeated(0, objects - 1)},
          {StreamKind::kCopyOffsets, Repeated(0, objects - 1)},
          {StreamKind::kLiterals, Repeated('x', size)}};
}

HostileFile AdditionsToATree(uint64_t entries) {
  HostileFile file;
  const uint32_t tree = AddLongTree(file, entries, 0);
  file.AddRef("refs/tree", file.ids[tree]);
  return file;
}
HostileFile ThousandAdditionsToATree() { return AdditionsToATree(1'000); }
HostileFile MillionsOfAdditionsToATree() {
  return AdditionsToATree(36'000'000);
}

HostileFile ManyBlocksOfZeros() {
  constexpr uint64_t kSize = 170 * kMebibyte;
  HostileFile file;
  for (uint32_t i = 0; i < 20; ++i) {
    file.AddLong({}, {{StreamKind::kContents, {}, kSize, 0}},
                 {{StreamKind::kSizes, Varints({kSize})}}, 1);
  }
  return file;
}

HostileFile TreesThatRemoveWhatOthersHave() {
  HostileFile file;
  const uint32_t tree = AddLongTree(file, 100'000, 100);
  file.AddRef("refs/tree", file.ids[tree + 1]);
  return file;
}

HostileFile CommitsWithMillionsOfParents() {
  HostileFile file;
  for (const uint64_t parents : {uint64_t{1'000}, uint64_t{200'000'000}}) {
    // The number of each parent is that after the commit's own, less one.
    const uint32_t commit = file.AddLong(
        kCommitBlock, {{StreamKind::kParents, {}, parents, 1}},
        CommitStreams({{StreamKind::kRootTrees, {0}},
                       {StreamKind::kParentCounts, Varints({1 + parents})},
                       {StreamKind::kIdentities, {0, 1}},
                       {StreamKind::kIdentityTexts, {'>', 0, '0', 0}},
                       {StreamKind::kTimes, {0, 0}},
                       {StreamKind::kTimeZones, {0, 1}},
                       {StreamKind::kHeaderSizes, {0}},
                       {StreamKind::kMessageSizes, {0}}}),
        1);
    file.AddRef("refs/heads/b" + std::to_string(parents), file.ids[commit]);
  }
  return file;
}

HostileFile CommitsOfOneLongIdentity() {
  constexpr uint64_t kCommits = 10'000;
  Bytes texts = Repeated('A', kMebibyte);
  Append(texts, Bytes{'>', 0, '0', 0});
  Bytes identities = {0};
  Append(identities, Repeated(2, 2 * kCommits - 1));
  Bytes zones = {0};
  Append(zones, Repeated(2, 2 * kCommits - 1));
  HostileFile file;
  file.Add(kCommitBlock,
           CommitStreams({{StreamKind::kRootTrees, Repeated(1, kCommits)},
                          {StreamKind::kParentCounts, Repeated(1, kCommits)},
                          {StreamKind::kIdentities, std::move(identities)},
                          {StreamKind::kIdentityTexts, std::move(texts)},
                          {StreamKind::kTimes, Repeated(0, 2 * kCommits)},
                          {StreamKind::kTimeZones, std::move(zones)},
                          {StreamKind::kHeaderSizes, Repeated(0, kCommits)},
                          {StreamKind::kMessageSizes, Repeated(0, kCommits)}}),
           kCommits);
  return file;
}

HostileFile ATagInManySegments() {
  // Valid but for its size.
  constexpr uint64_t kSegment = 8 * kMebibyte;
  constexpr uint64_t kSize = 300 * kMebibyte;
  HostileFile file;
  const uint32_t blob = file.AddObjects(ObjectType::kBlob, {Bytes{'x'}});
  const std::string header = "object " + file.ids[blob].ToHex() +
                             "\ntype blob\ntag v\ntagger T <t> 0 +0000\n\n";
  for (uint64_t at = 0; at < kSize;) {
    const format::BlockHeader block{.kind = BlockKind::kSegment,
                                    .type = ObjectType::kTag,
                                    .first_object = ObjectNumber(1),
                                    .object_count = 1,
                                    .segment_offset = at};
    const Bytes sizes = Varints({kSize});
    if (at == 0) {
      Bytes content(header.begin(), header.end());
      file.blocks.push_back(
          {1, BlockChunk(block, {{StreamKind::kSizes, sizes},
                                 {StreamKind::kContents, content}})});
      at = content.size();
    } else {
      const uint64_t part = std::min(kSegment, kSize - at);
      file.blocks.push_back(
          {1, LongChunk(block, {{StreamKind::kSizes, sizes, 0, 0},
                                {StreamKind::kContents, {}, part, 'y'}})});
      at += part;
    }
  }
  file.ids.push_back(file.MadeUpId(1));
  file.AddRef("refs/tags/v", file.MadeUpId(1));
  return file;
}

HostileFile ManyTinyBlocksOfEqualBlobs() {
  HostileFile file;
  // Together 8 GB.
  for (int i = 0; i < 20; ++i) {
    file.Add(kDeltaBlock, EqualBlobs(400, kMebibyte), 400);
  }
  return file;
}

HostileFile BlobsThatAllNeedLargeBases() {
  // Each of many empty blobs is a delta against the last of a chain of 40 MB.
  constexpr uint32_t kChain = 20;
  constexpr uint32_t kLeaves = 2'000;
  HostileFile file;
  for (int block = 0; block < 10; ++block) {
    RawStreams streams = EqualBlobs(kChain, 2 * kMebibyte);
    Bytes& sizes = streams[0].second;
    Bytes& bases = streams[1].second;
    bases = {0};
    Append(bases, Repeated(1, kChain - 1));
    for (uint32_t i = 1; i <= kLeaves; ++i) {
      ByteWriter(sizes).Varint(ZigZag(-static_cast<int64_t>(2 * kMebibyte)));
      ByteWriter(bases).Varint(i);
    }
    file.Add(kDeltaBlock, streams, kChain + kLeaves);
  }
  return file;
}

// A block of `count` trees of `padding` entries each and one that names the
// object `first_child` + its place in the block.
RawStreams TreesNaming(uint32_t count, uint64_t padding, uint32_t first_child) {
  const uint64_t edits = padding + 1;
  const uint64_t size = 29 * padding + 27;
  Bytes sizes;
  Bytes counts;
  Bytes kinds = Repeated(2, edits);
  Bytes names = {0};
  Append(names, Repeated(1, padding - 1));
  names.push_back(0);
  Bytes modes = Repeated(4, padding);  // submodules
  modes.push_back(format::kDirectoryMode);
  Bytes children = {0};
  Append(children, Repeated(2, padding - 1));
  children.push_back(1);
  Bytes differences;
  Bytes bases;
  for (uint32_t i = 0; i < count; ++i) {
    ByteWriter(bases).Varint(i == 0 ? 0 : 1);
    ByteWriter(sizes).Varint(i == 0 ? size : 0);
    if (i == 0) {
      ByteWriter(counts).Varint(1 + 2 * edits);
      ByteWriter(differences).Varint(ZigZag(int64_t{first_child} - 0));
    } else {
      ByteWriter(counts).Varint(1);
      kinds.push_back(0);
      children.push_back(0);  // one more than before
    }
  }
  Bytes runs = Repeated(0, edits);
  for (uint32_t i = 1; i < count; ++i) ByteWriter(runs).Varint(padding);
  return TreeStreams({{StreamKind::kSizes, std::move(sizes)},
                      {StreamKind::kBases, std::move(bases)},
                      {StreamKind::kEditCounts, std::move(counts)},
                      {StreamKind::kEditRuns, std::move(runs)},
                      {StreamKind::kEditKinds, std::move(kinds)},
                      {StreamKind::kNames, std::move(names)},
                      {StreamKind::kModes, std::move(modes)},
                      {StreamKind::kChildren, std::move(children)},
                      {StreamKind::kChildDifferences, std::move(differences)},
                      {StreamKind::kNameTexts, {'a', 0, 0}}});
}

HostileFile BlocksThatNameEachOtherInTurns() {
  // Tree i of the first block names tree i of the second one, and that tree
  // i + 1 of the first.
  constexpr uint32_t kTrees = 200;
  HostileFile file;
  file.Add(kTreeBlock, TreesNaming(kTrees, 2'000, kTrees), kTrees);
  file.Add(kTreeBlock, TreesNaming(kTrees, 2'000, 1), kTrees);
  // No ref leads here, but then it matters where refs lead.
  const std::string dangling = "object " + std::string(40, '1') + "\n";
  file.AddObjects(ObjectType::kTag, {Bytes(dangling.begin(), dangling.end())});
  file.AddRef("refs/tree", file.ids[0]);
  return file;
}

// Gives every object that decodes the id that it hashes to: who reads it gets
// beyond that. REQUIRES: commits and trees name only objects whose ids are
// true.
void SetTrueIds(HostileFile& file) {
  const auto archive = ArchiveFile::Open(
      std::make_unique<MemoryFile>(file.Build()), ReadOptions{});
  Require(archive.has_value(), "a bomb that can be opened");
  BlockDecoder decoder;
  ObjectHasher hasher(ObjectFormat::kSha1);
  for (size_t at = 0; at < (*archive)->blocks().block_count(); ++at) {
    const auto block = decoder.Decode((*archive)->blocks(), at);
    Require(block.has_value(), "a bomb that can be decoded");
    const format::BlockHeader& header = block->objects.header;
    const Status hashed =
        block->ForEachObject((*archive)->blocks().max_kept(),
                             [&](size_t index, ByteView content) -> Status {
                               file.ids[header.first_object.value() + index] =
                                   hasher.Hash(header.type, content);
                               return {};
                             });
    Require(hashed.has_value(), "a bomb that can be rebuilt");
  }
}

Bytes Noise(uint64_t size) {
  std::mt19937_64 random(1);
  Bytes noise(size);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  return noise;
}

// Makes a file larger, and so what it may stand for.
void Pad(HostileFile& file, uint64_t size) {
  file.AddObjects(ObjectType::kBlob, {Noise(size)});
}

// Every object of several long chains is another, and their ids have no order.
HostileFile LongChains() {
  constexpr uint32_t kObjects = 180;
  constexpr uint64_t kSize = kMebibyte;
  HostileFile file;
  for (char block = 0; block < 5; ++block) {
    RawStreams streams = EqualBlobs(kObjects, kSize);
    streams[1].second = {0};
    Append(streams[1].second, Repeated(1, kObjects - 1));
    // Each begins with a byte of its own and goes on as its base does.
    streams[2].second = Repeated(1, kObjects - 1);
    Bytes& literals = streams[5].second;
    literals.front() = 0xff;
    literals.back() = static_cast<uint8_t>(block);
    for (uint32_t i = 1; i < kObjects; ++i) {
      literals.push_back(static_cast<uint8_t>(i));
    }
    file.Add(kDeltaBlock, streams, kObjects);
  }
  Pad(file, 800 << 10);
  SetTrueIds(file);
  return file;
}

// Blocks that are large once decoded, with many objects each whose ids have no
// order.
HostileFile CommitsInLargeBlocks() {
  constexpr uint32_t kCommits = 2'000;
  constexpr uint32_t kBlocks = 15;
  HostileFile file;
  file.AddObjects(ObjectType::kTree, {Bytes()});
  for (uint32_t block = 0; block < kBlocks; ++block) {
    Bytes texts = Repeated('A', 16'000);
    Append(texts, Bytes{'>', 0, '0', 0});
    Bytes identities = {0};
    Append(identities, Repeated(2, 2 * kCommits - 1));
    Bytes times = Varints({ZigZag(int64_t{block} * kCommits), 0});
    for (uint32_t i = 1; i < kCommits; ++i) Append(times, Bytes{2, 0});
    Bytes trees = Varints({ZigZag(0)});
    Append(trees, Repeated(1, kCommits - 1));
    file.Add(
        kCommitBlock,
        CommitStreams({{StreamKind::kRootTrees, std::move(trees)},
                       {StreamKind::kParentCounts, Repeated(1, kCommits)},
                       {StreamKind::kIdentities, identities},
                       {StreamKind::kIdentityTexts, std::move(texts)},
                       {StreamKind::kTimes, std::move(times)},
                       {StreamKind::kTimeZones, identities},
                       {StreamKind::kHeaderSizes, Repeated(0, kCommits)},
                       {StreamKind::kMessageSizes, Repeated(0, kCommits)}}),
        kCommits);
  }
  Pad(file, 200 << 10);
  SetTrueIds(file);
  return file;
}

// Adds a block of one whole blob, of `size` bytes, whose literals are the piece
// `piece` of a group.
void AddContinued(HostileFile& file, format::GroupPlace place, uint64_t size,
                  const Bytes& piece, const ObjectId& id) {
  format::BlockHeader header = kDeltaBlock;
  header.first_object = ObjectNumber(static_cast<uint32_t>(file.ids.size()));
  header.object_count = 1;
  header.group = place;
  const Bytes sizes = Varints({size});
  std::vector<format::StreamHeader> streams;
  Bytes stored;
  for (const StreamKind kind : format::FindBlockForm(header.kind)->streams) {
    const size_t before = stored.size();
    if (kind == StreamKind::kSizes) Append(stored, sizes);
    if (kind == StreamKind::kBases) stored.push_back(0);
    const bool literals = kind == StreamKind::kLiterals;
    if (literals) Append(stored, piece);
    const uint64_t stored_size = stored.size() - before;
    streams.push_back({kind,
                       literals ? format::StreamCodec::kContinued
                                : format::StreamCodec::kStored,
                       literals ? size : stored_size, stored_size});
  }
  Bytes payload;
  format::Encode(header, streams, payload);
  Append(payload, stored);
  Bytes chunk;
  format::EncodeChunk(format::kBlockChunk, 0, payload, chunk);
  file.blocks.push_back({header.first_object.value(), std::move(chunk)});
  file.ids.push_back(id);
}

// The smallest blob of a group needs the largest.
HostileFile GroupsOfBlocksThatNeedALargeOne() {
  constexpr uint64_t kZstdBlock = uint64_t{128} << 10;
  constexpr uint64_t kLarge = 60'000'000 / kZstdBlock * kZstdBlock;
  // A frame without a content size, with a window of 64 MiB, and blocks of runs
  // of which none is the last.
  Bytes large = {0x28, 0xb5, 0x2f, 0xfd, 0, (26 - 10) << 3};
  for (uint64_t at = 0; at < kLarge; at += kZstdBlock) {
    Append(large, Bytes{2, 0, 0x10, 'x'});  // a run of 128 KiB
  }
  HostileFile file;
  for (int group = 0; group < 3; ++group) {
    const uint64_t number = file.ids.size();
    AddContinued(file, {}, kLarge, large, file.MadeUpId(number));
    for (uint32_t i = 1; i < format::kMaxGroupBlocks; ++i) {
      AddContinued(file, {i, static_cast<uint32_t>(kLarge + i - 1)}, 1,
                   {8, 0, 0, 'y'}, file.MadeUpId(number + i));
    }
  }
  return file;
}

// Two large blocks that do not fit into a cache together, and small ones whose
// objects are far deltas against objects of both in turns.
HostileFile FarBasesInTurns() {
  constexpr uint64_t kSize = 10 * kMebibyte;
  constexpr uint32_t kCount = 7;
  constexpr uint32_t kBlocks = 3'000;
  HostileFile file;
  for (int block = 0; block < 2; ++block) {
    Bytes sizes;
    for (uint32_t i = 0; i < kCount; ++i) ByteWriter(sizes).Varint(kSize);
    file.AddLong({.kind = BlockKind::kObjects, .type = ObjectType::kBlob},
                 {{StreamKind::kContents, {}, kCount * kSize, 0}},
                 {{StreamKind::kSizes, std::move(sizes)}}, kCount);
  }
  for (uint32_t block = 0; block < kBlocks; ++block) {
    // Two empty blobs.
    const uint32_t first = 2 * (kCount + block);
    const uint32_t base = block % kCount;
    const uint64_t less = ZigZag(-static_cast<int64_t>(kSize));
    file.Add({.kind = BlockKind::kFarDeltas, .type = ObjectType::kBlob},
             {{StreamKind::kSizes, Varints({less, less})},
              {StreamKind::kBases, Varints({1, 3})},
              {StreamKind::kFarBases,
               Varints({first - base, kSize, first - kCount - base, kSize})},
              {StreamKind::kLiteralLengths, {}},
              {StreamKind::kCopyLengths, {}},
              {StreamKind::kCopyOffsets, {}},
              {StreamKind::kLiterals, {}}},
             2);
  }
  return file;
}

}  // namespace

const std::vector<Bomb>& Bombs() {
  static const std::vector<Bomb> bombs = {
      {"ThousandAdditionsToATree", ThousandAdditionsToATree},
      {"MillionsOfAdditionsToATree", MillionsOfAdditionsToATree},
      {"ManyBlocksOfZeros", ManyBlocksOfZeros},
      {"TreesThatRemoveWhatOthersHave", TreesThatRemoveWhatOthersHave},
      {"CommitsWithMillionsOfParents", CommitsWithMillionsOfParents},
      {"CommitsOfOneLongIdentity", CommitsOfOneLongIdentity},
      {"ATagInManySegments", ATagInManySegments},
      {"ManyTinyBlocksOfEqualBlobs", ManyTinyBlocksOfEqualBlobs},
      {"BlobsThatAllNeedLargeBases", BlobsThatAllNeedLargeBases},
      {"BlocksThatNameEachOtherInTurns", BlocksThatNameEachOtherInTurns},
      {"LongChains", LongChains},
      {"CommitsInLargeBlocks", CommitsInLargeBlocks},
      {"GroupsOfBlocksThatNeedALargeOne", GroupsOfBlocksThatNeedALargeOne},
      {"FarBasesInTurns", FarBasesInTurns},
  };
  return bombs;
}

}  // namespace zpack::testing
