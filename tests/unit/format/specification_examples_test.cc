// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The reader decodes the examples in FORMAT.md and the worked example, in which
// every byte is explained.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/hex.h"
#include "format/commit_block.h"
#include "format/delta_block.h"
#include "format/file_table.h"
#include "format/tree_block.h"
#include "reader/archive_file.h"
#include "support/memory_file.h"
#include "support/specification.h"
#include "support/unpacked_block.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

using format::BlockKind;
using format::StreamKind;
using testing::MemoryFile;
using testing::ReadSpecification;
using testing::ReadTable;
using testing::ReadWorkedExample;
using testing::Row;
using testing::Rows;
using testing::Split;
using testing::StreamsFrom;

// Examples of single blocks: a table of streams after the word "Example".

Bytes ReadHex(std::string cell) {
  std::erase_if(cell, [](char c) { return c == ' ' || c == '`'; });
  return FromHex(cell).value();
}

// Bytes by the name of the stream; nothing where the cell is no hexadecimal.
std::map<std::string, Bytes> ReadExample(const std::string& section) {
  const std::string text = ReadSpecification();
  const size_t at = text.find("\nExample: ", text.find('\n' + section + '\n'));
  std::map<std::string, Bytes> streams;
  for (const Row& row : ReadTable(text, "| stream | bytes | values |", at)) {
    streams[row[0]] = row[1].starts_with('`') ? ReadHex(row[1]) : Bytes();
  }
  return streams;
}

constexpr format::BlockLimits kLimits = {1000, 1000};

TEST(SpecificationExamples, ExampleOfDeltasDecodes) {
  auto streams = ReadExample("### Deltas");
  ASSERT_EQ(streams.size(), 6U);
  const auto block = format::DeltaBlock::Parse(
      StreamsFrom(BlockKind::kDeltas,
                  {{StreamKind::kSizes, streams["sizes"]},
                   {StreamKind::kBases, streams["bases"]},
                   {StreamKind::kLiteralLengths, streams["literal lengths"]},
                   {StreamKind::kCopyLengths, streams["copy lengths"]},
                   {StreamKind::kCopyOffsets, streams["copy offsets"]},
                   {StreamKind::kLiterals, streams["literals"]}}),
      {ObjectNumber(), 2}, kLimits);
  ASSERT_TRUE(block) << block.error().message;
  Bytes first;
  Bytes second;
  block->Rebuild(0, {}, first);
  block->Rebuild(1, first, second);
  EXPECT_EQ(AsText(first), "one two three");
  EXPECT_EQ(AsText(second), "one 2 three");
}

TEST(SpecificationExamples, ExampleOfFarDeltasDecodes) {
  auto streams = ReadExample("### Far deltas");
  ASSERT_EQ(streams.size(), 7U);
  const auto block = format::DeltaBlock::Parse(
      StreamsFrom(BlockKind::kFarDeltas,
                  {{StreamKind::kSizes, streams["sizes"]},
                   {StreamKind::kBases, streams["bases"]},
                   {StreamKind::kFarBases, streams["far bases"]},
                   {StreamKind::kLiteralLengths, streams["literal lengths"]},
                   {StreamKind::kCopyLengths, streams["copy lengths"]},
                   {StreamKind::kCopyOffsets, streams["copy offsets"]},
                   {StreamKind::kLiterals, streams["literals"]}}),
      {ObjectNumber(9), 2}, kLimits);
  ASSERT_TRUE(block) << block.error().message;
  const auto base = block->base(0);
  ASSERT_TRUE(base && block->layout().IsFar(*base));
  EXPECT_EQ(block->layout().FarAt(*base).number, ObjectNumber(4));
  EXPECT_EQ(block->layout().FarAt(*base).size, 13U);
  Bytes first;
  Bytes second;
  block->Rebuild(0, AsBytes("one two three"), first);
  EXPECT_EQ(block->base(1), 0U);
  block->Rebuild(1, first, second);
  EXPECT_EQ(AsText(first), "one 2 three");
  EXPECT_EQ(AsText(second), "one 3 three");
}

// The id with `byte` everywhere.
ObjectId IdWith(ObjectNumber byte) {
  return ObjectId(std::vector<uint8_t>(20, static_cast<uint8_t>(byte.value())));
}
std::string TextOf(const ObjectId& id) {
  return std::string(AsText(id.bytes()));
}

TEST(SpecificationExamples, ExampleOfTreesDecodes) {
  auto streams = ReadExample("### Trees");
  ASSERT_EQ(streams.size(), 12U);
  const auto block = format::TreeBlock::Parse(
      StreamsFrom(
          BlockKind::kTrees,
          {{StreamKind::kSizes, streams["sizes"]},
           {StreamKind::kBases, streams["bases"]},
           {StreamKind::kLiterals, streams["literals"]},
           {StreamKind::kEditCounts, streams["edit counts"]},
           {StreamKind::kEditRuns, streams["edit runs"]},
           {StreamKind::kEditKinds, streams["edit kinds"]},
           {StreamKind::kNames, streams["names"]},
           {StreamKind::kModes, streams["modes"]},
           {StreamKind::kChildren, streams["children"]},
           {StreamKind::kChildDifferences, streams["child differences"]},
           {StreamKind::kNameTexts, streams["name texts"]},
           {StreamKind::kOutsideIds, streams["outside ids"]}}),
      2, 9, ObjectFormat::kSha1, kLimits);
  ASSERT_TRUE(block) << block.error().message;
  EXPECT_TRUE(block->BeginsLineage(0));
  Bytes first;
  Bytes second;
  block->Rebuild(0, {}, IdWith, first);
  block->Rebuild(1, first, IdWith, second);
  const std::string entry("100644 a\0", 9);
  EXPECT_EQ(AsText(first), entry + TextOf(IdWith(ObjectNumber(8))));
  EXPECT_EQ(AsText(second), entry + TextOf(IdWith(ObjectNumber(7))));
}

// A name is its position: the same text again is another name, with children
// of its own.
TEST(SpecificationExamples, EqualNameTextsAreTwoNames) {
  const auto block = format::TreeBlock::Parse(
      StreamsFrom(BlockKind::kTrees,
                  {{StreamKind::kSizes, ReadHex("1d 1d")},
                   {StreamKind::kBases, ReadHex("00 00")},
                   {StreamKind::kEditCounts, ReadHex("03 04")},
                   {StreamKind::kEditRuns, ReadHex("00 00")},
                   {StreamKind::kEditKinds, ReadHex("02 02")},
                   {StreamKind::kNames, ReadHex("00 00")},
                   {StreamKind::kModes, ReadHex("00 00")},
                   {StreamKind::kChildren, ReadHex("01 00")},
                   {StreamKind::kChildDifferences, ReadHex("06")},
                   {StreamKind::kNameTexts, ReadHex("61 00 61 00")}}),
      2, 9, ObjectFormat::kSha1, kLimits);
  ASSERT_TRUE(block) << block.error().message;
  EXPECT_EQ(block->RebuildEntries(0).front().child, LinkNumber(3));
  // `other`, since this name has no child yet.
  EXPECT_EQ(block->RebuildEntries(1).front().child, LinkNumber(4));
  EXPECT_NE(block->RebuildEntries(0).front().name,
            block->RebuildEntries(1).front().name);
}

TEST(SpecificationExamples, ExampleOfCommitsDecodes) {
  auto streams = ReadExample("### Commits");
  ASSERT_EQ(streams.size(), 12U);
  format::BlockStreams columns(BlockKind::kCommits);
  const ObjectId outside = IdWith(ObjectNumber(0xee));
  columns[StreamKind::kOutsideIds].assign(outside.bytes().begin(),
                                          outside.bytes().end());
  columns[StreamKind::kRootTrees] = streams["root trees"];
  columns[StreamKind::kParentCounts] = streams["parent counts"];
  columns[StreamKind::kParents] = streams["parents"];
  columns[StreamKind::kTimes] = streams["times"];
  columns[StreamKind::kIdentities] = streams["identities"];
  columns[StreamKind::kIdentityTexts] = streams["identity texts"];
  columns[StreamKind::kTimeZones] = streams["time zones"];
  columns[StreamKind::kHeaderSizes] = streams["header sizes"];
  columns[StreamKind::kHeaders] = streams["headers"];
  columns[StreamKind::kMessageSizes] = streams["message sizes"];
  columns[StreamKind::kMessages] = streams["messages"];
  const auto commits = format::DecodeCommits(
      columns, 2, {{ObjectNumber(0), 4, ObjectFormat::kSha1}, IdWith}, 10000);
  ASSERT_TRUE(commits) << commits.error().message;
  EXPECT_EQ(std::string(AsText(commits->contents)),
            "tree " + IdWith(ObjectNumber(2)).ToHex() + "\nparent " +
                IdWith(ObjectNumber(1)).ToHex() + "\nparent " +
                outside.ToHex() +
                "\nauthor A <a> 200 +0000\ncommitter A <a> 200 +0000\n\nnew\n"
                "tree " +
                IdWith(ObjectNumber(3)).ToHex() +
                "\nauthor A <a> 100 +0000\ncommitter B <b> 160 +0000\n"
                "encoding latin1\n\nold\n");
}

TEST(SpecificationExamples, ExampleOfFilesIsATable) {
  const std::string text = ReadSpecification();
  const size_t at = text.find("\nExample: ", text.find("\n## Files\n"));
  Bytes payload;
  for (const Row& row : ReadTable(text, "| field | bytes | values |", at)) {
    Append(payload, ReadHex(row[1]));
  }
  const auto table = format::DecodeFileTable(payload, 18, 1000);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->left_out, std::vector{FileGroup::kLfs});
  ASSERT_EQ(table->files.size(), 1U);
  EXPECT_EQ(table->files[0].name, "description");
  Hasher hasher(HashAlgorithm::kSha256);
  hasher.Update(AsBytes(std::string_view("a sample\n")));
  std::array<uint8_t, Hasher::kMaxSize> digest;
  hasher.Finish(digest);
  EXPECT_EQ(table->files[0].sha256, digest);
  Bytes written;
  format::Encode(*table, written);
  EXPECT_EQ(written, payload);
}

// The worked example: a dump of a whole file, and tables of all its bytes.

// The bytes of the lines that `hexdump -C` writes.
Bytes ReadDump(const std::string& text) {
  Bytes bytes;
  std::istringstream in(text.substr(text.find("\n    00000000  ") + 1));
  bool repeats = false;
  for (std::string line; std::getline(in, line) && line.starts_with("    ");) {
    if (line == "    *") {
      repeats = true;
      continue;
    }
    const size_t offset = std::stoul(line.substr(4, 8), nullptr, 16);
    while (repeats && bytes.size() < offset) {
      const Bytes last(bytes.end() - 16, bytes.end());
      Append(bytes, last);
    }
    repeats = false;
    EXPECT_EQ(bytes.size(), offset);
    const size_t end = line.find('|');
    if (end == std::string::npos) break;
    Append(bytes, ReadHex(line.substr(12, end - 12)));
  }
  return bytes;
}

TEST(SpecificationExamples, EveryByteOfTheWorkedExampleIsExplained) {
  const std::string text = ReadWorkedExample();
  const Bytes file = ReadDump(text);
  ASSERT_GT(file.size(), 3000U);
  size_t at = 0;
  for (size_t line = text.find("\n| 0x"); line != std::string::npos;
       line = text.find("\n| 0x", line + 1)) {
    const Row row =
        Split(text.substr(line + 2, text.find('\n', line + 1) - line - 2), '|');
    SCOPED_TRACE(row[0]);
    EXPECT_EQ(std::stoul(row[0], nullptr, 16), at);
    const size_t size = std::stoul(row[1]);
    ASSERT_LE(size, file.size() - at);
    const ByteView bytes = ByteView(file).subspan(at, size);
    const size_t gap = row[2].find("...");
    if (gap == std::string::npos) {
      EXPECT_EQ(ToHex(ReadHex(row[2])), ToHex(bytes));
    } else {
      EXPECT_EQ(ToHex(ReadHex(row[2].substr(0, gap))), ToHex(bytes.first(4)));
      EXPECT_EQ(ToHex(ReadHex(row[2].substr(gap + 3))), ToHex(bytes.last(4)));
    }
    at += size;
  }
  EXPECT_EQ(at, file.size());
}

TEST(SpecificationExamples, WorkedExampleIsAFileWithTheObjectsListed) {
  const std::string text = ReadWorkedExample();
  auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(ReadDump(text)), {});
  ASSERT_TRUE(archive) << archive.error().message;
  VerifyReport report;
  const Status verified = VerifyArchive(
      **archive, {.level = VerifyLevel::kConnectivity}, {}, report);
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.objects_verified, 9U);

  const Rows rows =
      ReadTable(text, "| object number | rank | type | size | id | what |");
  EXPECT_EQ(rows.size(), (*archive)->object_count());
  for (const Row& row : rows) {
    const auto id = ObjectId::FromHex(row[4]);
    ASSERT_TRUE(id) << row[4];
    const auto rank = (*archive)->ids().Find(*id);
    ASSERT_TRUE(rank) << row[4];
    EXPECT_EQ(std::to_string(rank->value()), row[1]);
    EXPECT_EQ(std::to_string((*archive)->number(*rank).value()), row[0]);
  }
}

TEST(SpecificationExamples, BothDirectionsOfTheNumberingAreThoseOfTheExample) {
  const auto archive = ArchiveFile::Open(
      std::make_unique<MemoryFile>(ReadDump(ReadWorkedExample())), {});
  ASSERT_TRUE(archive) << archive.error().message;
  const std::string text = ReadSpecification();
  const size_t section = text.find("\n### Numbering\n");
  const Row numbers =
      ReadTable(text, "| rank | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |", section)
          .front();
  const Row ranks =
      ReadTable(text, "| object number | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |",
                section)
          .front();
  ASSERT_EQ(numbers.size(), 10U);
  ASSERT_EQ(ranks.size(), 10U);
  for (uint32_t i = 0; i < 9; ++i) {
    EXPECT_EQ(numbers[i + 1],
              std::to_string((*archive)->number(FileRank(i)).value()));
    EXPECT_EQ(ranks[i + 1],
              std::to_string((*archive)->rank(ObjectNumber(i)).value()));
  }
}

}  // namespace
}  // namespace zpack
