// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files whose checksums are right and which break a rule of FORMAT.md: each is
// refused by what reads that part, and none keeps a walk busy for ever.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "convert/base_file.h"
#include "history/revision_walk.h"
#include "reader/archive_file.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"
#include "zpack/verify.h"

namespace zpack::testing {
namespace {

using format::StreamKind;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Without connectivity: what is edited here names objects that are not there.
std::string Verify(const Bytes& bytes) {
  return FirstDamage(bytes, VerifyLevel::kObjects);
}

Status Walk(const Bytes& bytes) {
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
  if (!archive) return std::unexpected(archive.error());
  return WalkRevisions(**archive, {WalkRefs::kAll, {}, WalkObjects::kAll},
                       [](const WalkedObject&) { return Status{}; });
}

Bytes TagOf(const ObjectId& target, std::string_view type) {
  const std::string text = "object " + target.ToHex() + "\ntype " +
                           std::string(type) + "\ntag t\ntagger A <a> 1 +0\n\n";
  const ByteView bytes = AsBytes(text);
  return {bytes.begin(), bytes.end()};
}

// Adds a block of tags with these ids, whatever they hash to.
void AddTags(HostileFile& file, const std::vector<Bytes>& tags,
             const std::vector<ObjectId>& ids) {
  Bytes contents;
  std::vector<uint64_t> sizes;
  for (const Bytes& tag : tags) {
    Append(contents, tag);
    sizes.push_back(tag.size());
  }
  file.Add(
      {format::BlockKind::kObjects, ObjectType::kTag, {}, 0, 0},
      {{StreamKind::kSizes, Varints(sizes)}, {StreamKind::kContents, contents}},
      ids);
}

TEST(FileRules, ABlockNeedsTheFeaturesOfItsKindAndCodecs) {
  HostileFile file(UpdatedFile(Profile::kCold));
  EXPECT_EQ(Verify(file.Build()), "");
  for (const std::string& feature : format::BlockFeatures()) {
    HostileFile without = file;
    std::erase(without.header.required_features, feature);
    EXPECT_THAT(Verify(without.Build()),
                AllOf(HasSubstr("without the required feature '" + feature),
                      HasSubstr(" at offset ")));
  }
}

// A block of one blob that is the same as object `base` of `size` bytes.
void AddSame(HostileFile& file, uint32_t base, uint64_t size) {
  const uint64_t distance = file.ids.size() - base;
  file.Add({.kind = format::BlockKind::kFarDeltas, .type = ObjectType::kBlob},
           {{StreamKind::kSizes, Varints({0})},
            {StreamKind::kBases, Varints({1})},
            {StreamKind::kFarBases, Varints({distance, size})},
            {StreamKind::kLiteralLengths, Varints({0})},
            {StreamKind::kCopyLengths, Varints({0})},
            {StreamKind::kCopyOffsets, Varints({0})},
            {StreamKind::kLiterals, Bytes()}},
           1);
}

TEST(FileRules, AllBasesOfAFarDeltaHaveItsType) {
  HostileFile file;
  const ByteView name = AsBytes("100644 a");
  Bytes tree(name.begin(), name.end());
  tree.resize(name.size() + 21, 0);
  file.AddObjects(ObjectType::kTree, {tree});
  AddSame(file, 0, tree.size());  // a tree as the base of a blob
  AddSame(file, 1, tree.size());  // which is the base of another one
  const std::vector<std::string> damages =
      Damages(file.Build(), VerifyLevel::kObjects);
  EXPECT_EQ(std::ranges::count_if(
                damages,
                [](const std::string& damage) {
                  return damage.find("a tree as the base of a blob") !=
                         std::string::npos;
                }),
            2)
      << ::testing::PrintToString(damages);
}

TEST(FileRules, ABlockHasTheStreamsOfItsKindAndNoOther) {
  const HostileFile file(SampleFile());
  for (size_t i = 0; i < file.blocks.size(); ++i) {
    format::BlockHeader header;
    const RawStreams streams = UnpackStreams(file.blocks[i].chunk, header);
    HostileFile edited = file;
    RawStreams more = streams;
    more.emplace_back(streams.front());
    edited.blocks[i].chunk = BlockChunk(header, more);
    EXPECT_THAT(Verify(edited.Build()), HasSubstr("repeated stream '"));
    more.back() = {header.kind == format::BlockKind::kCommits
                       ? StreamKind::kNames
                       : StreamKind::kHeaders,
                   Bytes()};
    edited.blocks[i].chunk = BlockChunk(header, more);
    EXPECT_THAT(Verify(edited.Build()), HasSubstr("in a block of kind '"));
    for (size_t stream = 0; stream < streams.size(); ++stream) {
      RawStreams less = streams;
      less.erase(less.begin() + static_cast<ptrdiff_t>(stream));
      edited.blocks[i].chunk = BlockChunk(header, less);
      EXPECT_THAT(Verify(edited.Build()), HasSubstr("missing stream '"));
    }
  }
}

// The streams of a commit in columns, of no parent and the empty tree.
RawStreams OneCommit(const HostileFile& file, std::string_view identity,
                     std::string_view zone, std::string_view headers,
                     std::string_view message) {
  const auto bytes = [](std::string_view text) {
    return Bytes(AsBytes(text).begin(), AsBytes(text).end());
  };
  Bytes texts = bytes(identity);
  texts.push_back(0);
  Append(texts, AsBytes(zone));
  texts.push_back(0);
  const ObjectId tree = file.Hash(ObjectType::kTree, {});
  return CommitStreams(
      {{StreamKind::kOutsideIds,
        Bytes(tree.bytes().begin(), tree.bytes().end())},
       {StreamKind::kRootTrees, Varints({2})},  // number 1, the first outside
       {StreamKind::kParentCounts, Varints({1})},
       {StreamKind::kIdentities, Varints({0, 2})},
       {StreamKind::kIdentityTexts, texts},
       {StreamKind::kTimes, Varints({0, 0})},
       {StreamKind::kTimeZones, Varints({0, 2})},
       {StreamKind::kHeaderSizes, Varints({headers.size()})},
       {StreamKind::kHeaders, bytes(headers)},
       {StreamKind::kMessageSizes, Varints({message.size()})},
       {StreamKind::kMessages, bytes(message)}});
}

// What `verify` says of a file with that commit, whose id is right.
std::string VerifyCommit(std::string_view identity, std::string_view zone,
                         std::string_view headers, std::string_view message) {
  HostileFile file;
  std::string text = "tree " + file.Hash(ObjectType::kTree, {}).ToHex() + '\n';
  for (const char* const word : {"author ", "committer "}) {
    text.append(word).append(identity).append(" 0 ").append(zone) += '\n';
  }
  text.append(headers).append(message);
  file.Add({format::BlockKind::kCommits, ObjectType::kCommit, {}, 0, 0},
           OneCommit(file, identity, zone, headers, message),
           {file.Hash(ObjectType::kCommit, AsBytes(text))});
  return Verify(file.Build());
}

TEST(FileRules, ACommitHasOneFormInColumns) {
  EXPECT_EQ(VerifyCommit("A <a>", "+0", "x y\n", "\nm\n"), "");
  EXPECT_EQ(VerifyCommit("A <a>", "+0", "", ""), "");
  const auto bad = HasSubstr("bad form of commit");
  EXPECT_THAT(VerifyCommit("A", "+0", "", "\nm\n"), bad);
  EXPECT_THAT(VerifyCommit("A\n<a>", "+0", "", "\nm\n"), bad);
  EXPECT_THAT(VerifyCommit("<a>", "> 5 +0", "", "\nm\n"), bad);
  EXPECT_THAT(VerifyCommit("<a>", "+0\nx", "", "\nm\n"), bad);
  EXPECT_THAT(VerifyCommit("<a>", "+0", "x", "\nm\n"), bad);
  EXPECT_THAT(VerifyCommit("<a>", "+0", "\nx\n", ""), bad);
  EXPECT_THAT(VerifyCommit("<a>", "+0", "x\n\ny\n", ""), bad);
  EXPECT_THAT(VerifyCommit("<a>", "+0", "x\n", "m\n"), bad);
}

TEST(FileRules, AWalkRefusesTagsThatPointAtThemselves) {
  for (const size_t length : {1, 2, 100}) {
    HostileFile file;
    std::vector<ObjectId> ids;
    for (size_t i = 0; i < length; ++i) ids.push_back(file.MadeUpId(i));
    std::vector<Bytes> tags;
    for (size_t i = 0; i < length; ++i) {
      tags.push_back(TagOf(ids[(i + 1) % length], "tag"));
    }
    AddTags(file, tags, ids);
    file.AddRef("refs/tags/t", ids[0]);
    const Bytes bytes = file.Build();
    EXPECT_THAT(Walk(bytes),
                IsError(ErrorCode::kCorrupt,
                        "tag " + ids[0].ToHex() + " points at itself"));
    // What 'convert --base' asks; it does without the file then.
    const auto base =
        BaseFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
    ASSERT_THAT(base, IsOk());
    const auto complete =
        (*base)->FindComplete(RefsSnapshot{}, ObjectSet::kReachable, {});
    ASSERT_THAT(complete, IsOk());
    EXPECT_EQ(std::ranges::count(*complete, true), 0);
  }
}

TEST(FileRules, ATagInSegmentsIsReadWholeWithinTheLimitOnly) {
  HostileFile file;
  const uint32_t blob = file.AddObjects(ObjectType::kBlob, {Varints({1})});
  Bytes content = TagOf(file.ids[blob], "blob");
  Append(content, Repeated('x', 10000));
  const uint32_t tag = file.AddSegments(ObjectType::kTag, content, 4096);
  file.AddRef("refs/tags/t", file.ids[tag], file.ids[blob]);
  EXPECT_EQ(FirstDamage(file.Build()), "");
  ReadOptions options;
  options.max_object_size = 5000;
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(file.Build()), options);
  ASSERT_THAT(archive, IsOk());
  VerifyReport report;
  EXPECT_THAT(VerifyConnectivity(**archive, RunOptions{}, report),
              HasCode(ErrorCode::kLimitExceeded));
  // A walk needs its first lines.
  EXPECT_THAT(WalkRevisions(**archive, {WalkRefs::kAll, {}, WalkObjects::kAll},
                            [](const WalkedObject&) { return Status{}; }),
              IsOk());
}

// Where `verify` first says that a file of this structure is damaged.
uint64_t DamagedAt(const Bytes& bytes) {
  const TempDir directory;
  const std::string path = directory / "a.zpack";
  WriteFile(path, std::string(bytes.begin(), bytes.end()));
  const auto report = zpack::Verify(path, "", VerifyOptions{});
  EXPECT_THAT(report, IsOk());
  if (!report || report->damages.empty()) return ~uint64_t{0};
  return report->damages.front().offset.value_or(~uint64_t{0});
}

TEST(FileRules, StructuralDamageIsReportedWhereItIs) {
  const Bytes bytes = SampleFile();
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
  ASSERT_THAT(archive, IsOk());
  std::vector<uint64_t> parts = {(*archive)->header().table_of_contents_offset,
                                 bytes.size() - format::kTrailerSize};
  for (const auto& chunk : (*archive)->toc().chunks)
    parts.push_back(chunk.offset);
  for (const uint64_t part : parts) {
    Bytes damaged = bytes;
    damaged[part] ^= 1;
    EXPECT_EQ(DamagedAt(damaged), part);
  }
  // The signature of a file that is intact otherwise.
  for (const size_t at : {0, 4, 12}) {
    Bytes damaged = bytes;
    damaged[at] ^= 1;
    EXPECT_EQ(DamagedAt(damaged), 0U);
  }
}

TEST(FileRules, AGapIsReportedAtTheChunkAfterIt) {
  HostileFile file(SampleFile());
  constexpr uint32_t kHidden = 0x41414141;
  constexpr uint32_t kNext = 0x42424242;
  file.extra.push_back({kHidden, 0, Bytes(10)});
  file.extra.push_back({kNext, 0, Bytes(10)});
  EXPECT_EQ(Verify(file.Build()), "");
  uint64_t after = 0;
  file.edit_contents = [&](format::TableOfContents& toc) {
    after = toc.Find(kNext)->offset;
    std::erase_if(toc.chunks,
                  [](const auto& chunk) { return chunk.id == kHidden; });
  };
  const Bytes bytes = file.Build();
  EXPECT_THAT(Verify(bytes), HasSubstr("gap before chunk 'BBBB'"));
  EXPECT_EQ(DamagedAt(bytes), after);
}

}  // namespace
}  // namespace zpack::testing
