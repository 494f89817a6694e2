// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Damages sample files in many ways. Salvage must bring back every object whose
// bytes undamaged parts determine, and never an object that the source does not
// have.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "object/object_hasher.h"
#include "object/object_sink.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "salvage/salvager.h"
#include "support/collecting_sink.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/sample_file.h"
#include "support/sweep_step.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

struct Salvaged {
  Result<SalvageReport> report;
  CollectedRepository outcome;
};

Salvaged SalvageBytes(const Bytes& bytes) {
  const MemoryFile file(bytes);
  CollectedRepository outcome;
  SalvageOptions options;
  options.restore.run.threads = 1;
  // Whether another test has kept the ids must not matter.
  options.restore.read.index_cache = IndexCache::kNo;
  auto report = SalvageFile(
      file, options,
      [&](const SalvagedRepository&) -> Result<std::unique_ptr<ObjectSink>> {
        return std::make_unique<CollectingSink>(outcome);
      });
  return {std::move(report), std::move(outcome)};
}

Bytes Golden(const std::string& name) {
  const std::string text =
      ReadFile(std::string(ZPACK_GOLDEN_DIRECTORY) + "/v1/" + name);
  return {text.begin(), text.end()};
}

// An undamaged file, with what a salvage of it must not exceed.
struct Sample {
  Bytes bytes;
  CollectedRepository all;
  std::unique_ptr<ArchiveFile> archive;
  ObjectFormat format() const { return archive->header().object_format; }
};

Sample OpenSample(const std::string& name) {
  Sample sample;
  sample.bytes = Golden(name);
  auto salvaged = SalvageBytes(sample.bytes);
  EXPECT_TRUE(salvaged.report) << name;
  EXPECT_TRUE(salvaged.report->complete) << name;
  sample.all = std::move(salvaged.outcome);
  sample.archive = *ArchiveFile::Open(
      std::make_unique<MemoryFile>(sample.bytes), ReadOptions{});
  return sample;
}

// Every object hashes to its id and is one of the source; likewise refs.
void ExpectNothingWrong(const Sample& sample,
                        const CollectedRepository& outcome,
                        const std::string& what) {
  for (const auto& [id, object] : outcome.objects) {
    const auto original = sample.all.objects.find(id);
    ASSERT_NE(original, sample.all.objects.end()) << what << ' ' << id.ToHex();
    ASSERT_EQ(original->second, object) << what;
    ASSERT_EQ(ObjectHasher(sample.format())
                  .Hash(object.first, AsBytes(object.second)),
              id);
  }
  for (const Ref& ref : outcome.refs.refs) {
    const Ref* const original = sample.all.refs.Find(ref.name);
    if (original == nullptr) {
      EXPECT_TRUE(ref.name.starts_with("refs/salvaged/")) << what;
    } else {
      // A tag whose object is lost cannot be peeled.
      Ref expected = *original;
      if (ref.peeled.empty()) expected.peeled = {};
      EXPECT_TRUE(expected == ref) << what << ' ' << ref.name;
    }
  }
  for (const auto& [name, content] : outcome.files) {
    EXPECT_EQ(sample.all.files.at(name), content) << what;
  }
}

// A region of a file.
struct Region {
  std::string name;
  uint64_t begin = 0;
  uint64_t end = 0;
  bool block = false;
};

std::vector<Region> Regions(const Sample& sample) {
  const ArchiveFile& archive = *sample.archive;
  std::vector<Region> regions = {{"header", 0, archive.header().EncodedSize()}};
  for (const format::ChunkLocation& chunk : archive.toc().chunks) {
    regions.push_back({format::ChunkName(chunk.id), chunk.offset, chunk.end()});
  }
  const FileBlocks& blocks = archive.blocks();
  for (size_t block = 0; block < blocks.block_count(); ++block) {
    regions.push_back({"block " + std::to_string(block),
                       blocks.block_offset(block),
                       blocks.block_offset(block + 1), true});
  }
  regions.push_back({"TOCC", archive.header().table_of_contents_offset,
                     sample.bytes.size() - format::kTrailerSize});
  regions.push_back({"trailer", sample.bytes.size() - format::kTrailerSize,
                     sample.bytes.size()});
  return regions;
}

enum class Fill { kZeros, kNoise };

void Damage(Bytes& bytes, const Region& region, Fill fill) {
  std::mt19937 random(static_cast<unsigned>(region.begin));
  for (uint64_t at = region.begin; at < region.end; ++at) {
    bytes[at] = fill == Fill::kZeros ? 0 : static_cast<uint8_t>(random());
  }
}

// True if the block needs the block before it.
bool Continues(const FileBlocks& blocks, size_t block) {
  BlockDecoder decoder;
  const auto view = decoder.Load(blocks, block);
  EXPECT_TRUE(view);
  return view && view->header.group.blocks != 0;
}

// Adds the far deltas of a block against objects that are lost, directly or
// through others.
void AddLostDeltas(const FileBlocks& blocks, size_t block,
                   std::set<ObjectId>& lost) {
  BlockDecoder decoder;
  const auto decoded = decoder.Decode(blocks, block);
  ASSERT_TRUE(decoded);
  if (decoded->deltas() == nullptr) return;
  const format::BlockLayout& layout = *decoded->layout();
  const ObjectNumber first = blocks.first_object(block);
  for (uint32_t i = 0; i < layout.count(); ++i) {
    const auto base = layout.base(i);
    if (!base) continue;
    const ObjectNumber number =
        layout.IsFar(*base) ? layout.FarAt(*base).number : first + *base;
    if (lost.contains(blocks.id(number))) lost.insert(blocks.id(first + i));
  }
}

// Objects in the damaged block, those after it in its group and far deltas
// against them are lost, and no others: the index tells the ids of the rest.
void ExpectOnlyBlockLost(const Sample& sample, const Region& region,
                         const Salvaged& salvaged) {
  const FileBlocks& blocks = sample.archive->blocks();
  std::set<ObjectId> lost;
  bool hit = false;
  for (size_t block = 0; block < blocks.block_count(); ++block) {
    hit = blocks.block_offset(block) == region.begin ||
          (hit && Continues(blocks, block));
    if (!hit) {
      AddLostDeltas(blocks, block, lost);
      continue;
    }
    for (uint32_t i = 0; i < blocks.block_object_count(block); ++i) {
      lost.insert(blocks.id(blocks.first_object(block) + i));
    }
  }
  EXPECT_EQ(salvaged.outcome.objects.size() + lost.size(),
            sample.all.objects.size())
      << region.name;
  for (const ObjectId& id : lost) {
    EXPECT_FALSE(salvaged.outcome.objects.contains(id)) << region.name;
  }
  EXPECT_EQ(salvaged.report->lost_objects, lost.size());
  EXPECT_EQ(std::set<ObjectId>(salvaged.report->lost_ids.begin(),
                               salvaged.report->lost_ids.end()),
            lost);
  EXPECT_FALSE(salvaged.report->complete);
}

class SalvageTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SalvageTest, AnUndamagedFileHasNoDamage) {
  const Sample sample = OpenSample(GetParam());
  const Salvaged salvaged = SalvageBytes(sample.bytes);
  ASSERT_TRUE(salvaged.report) << salvaged.report.error().message;
  EXPECT_TRUE(salvaged.report->complete);
  EXPECT_TRUE(salvaged.report->damaged_ranges.empty());
}

// Only one of two files can be brought back, so something is left out.
TEST_P(SalvageTest, BlocksOfASecondFileAreNotNothing) {
  const Sample sample = OpenSample(GetParam());
  Bytes both = sample.bytes;
  MemorySource history = SampleHistory(5);
  const Bytes other = FileOf(history);
  both.insert(both.end(), other.begin(), other.end());
  const Salvaged salvaged = SalvageBytes(both);
  ASSERT_TRUE(salvaged.report) << salvaged.report.error().message;
  EXPECT_GT(salvaged.report->conflicting_blocks, 0U);
  EXPECT_FALSE(salvaged.report->complete);
}

TEST_P(SalvageTest, OneDamagedRegionCostsOnlyItself) {
  const Sample sample = OpenSample(GetParam());
  for (const Region& region : Regions(sample)) {
    for (const Fill fill : {Fill::kZeros, Fill::kNoise}) {
      Bytes bytes = sample.bytes;
      Damage(bytes, region, fill);
      const Salvaged salvaged = SalvageBytes(bytes);
      ASSERT_TRUE(salvaged.report) << salvaged.report.error().message;
      ExpectNothingWrong(sample, salvaged.outcome, region.name);
      if (region.block) {
        ExpectOnlyBlockLost(sample, region, salvaged);
      } else {
        EXPECT_EQ(salvaged.outcome.objects, sample.all.objects) << region.name;
        const bool copied =
            AsText(sample.bytes).find("COPY") != std::string::npos;
        EXPECT_EQ(salvaged.report->refs_known, region.name != "REFS" || copied);
      }
    }
  }
}

TEST_P(SalvageTest, TwoDamagedRegionsGiveNothingWrong) {
  const Sample sample = OpenSample(GetParam());
  const std::vector<Region> regions = Regions(sample);
  for (size_t a = 0; a < regions.size(); ++a) {
    for (size_t b = a + 1; b < regions.size(); ++b) {
      Bytes bytes = sample.bytes;
      Damage(bytes, regions[a], Fill::kZeros);
      Damage(bytes, regions[b], Fill::kNoise);
      const std::string what = regions[a].name + " and " + regions[b].name;
      const Salvaged salvaged = SalvageBytes(bytes);
      ASSERT_TRUE(salvaged.report) << what;
      ExpectNothingWrong(sample, salvaged.outcome, what);
      if (!regions[a].block && !regions[b].block) {
        EXPECT_EQ(salvaged.outcome.objects, sample.all.objects) << what;
      }
    }
  }
}

TEST_P(SalvageTest, BlocksAloneAreEnough) {
  const Sample sample = OpenSample(GetParam());
  const FileBlocks& blocks = sample.archive->blocks();
  if (sample.format() == ObjectFormat::kSha256) return;  // tested below
  const auto begin = static_cast<ptrdiff_t>(blocks.block_offset(0));
  const auto end =
      static_cast<ptrdiff_t>(blocks.block_offset(blocks.block_count()));
  if (begin == end) return;
  const Bytes bytes(sample.bytes.begin() + begin, sample.bytes.begin() + end);
  const Salvaged salvaged = SalvageBytes(bytes);
  ASSERT_TRUE(salvaged.report) << salvaged.report.error().message;
  EXPECT_EQ(salvaged.outcome.objects, sample.all.objects);
  EXPECT_FALSE(salvaged.report->complete);
}

TEST_P(SalvageTest, NoTruncationGivesAnythingWrong) {
  const Sample sample = OpenSample(GetParam());
  const size_t size = sample.bytes.size();
  for (size_t i = 0; i < 150; ++i) {
    const auto cut = static_cast<ptrdiff_t>(size * i / 150);
    for (const bool head : {false, true}) {
      const Bytes bytes =
          head ? Bytes(sample.bytes.begin() + cut, sample.bytes.end())
               : Bytes(sample.bytes.begin(), sample.bytes.begin() + cut);
      const Salvaged salvaged = SalvageBytes(bytes);
      ExpectNothingWrong(sample, salvaged.outcome,
                         std::to_string(cut) + (head ? " head" : " tail"));
    }
  }
}

// True if the ids of the objects do not depend on those of other objects.
bool IsSelfContained(const FileBlocks& blocks, size_t block) {
  Bytes chunk;
  EXPECT_TRUE(blocks.ReadBlockChunk(block, chunk));
  const auto kind =
      static_cast<format::BlockKind>(chunk[format::kChunkHeaderSize]);
  return kind == format::BlockKind::kObjects ||
         kind == format::BlockKind::kDeltas;
}

// 1,000 offsets, and each offset near the start of a part.
std::set<uint64_t> PlacesToCut(const Sample& sample) {
  std::set<uint64_t> cuts;
  for (uint64_t i = 0; i < 1000; i += kSweepStep) {
    cuts.insert(sample.bytes.size() * i / 1000);
  }
  for (const Region& region : Regions(sample)) {
    for (uint64_t i = 0; i <= 64; i += kSweepStep) {
      cuts.insert(region.begin + i);
    }
  }
  return cuts;
}

// Where the first table of contents begins: the copy of it, or itself.
uint64_t BeginOfTables(const Sample& sample) {
  const format::ChunkLocation* const copies =
      sample.archive->toc().Find(format::kCopiesChunk);
  return copies != nullptr ? copies->offset
                           : sample.archive->header().table_of_contents_offset;
}

TEST_P(SalvageTest, TruncationKeepsTheBlocksBeforeIt) {
  const Sample sample = OpenSample(GetParam());
  const FileBlocks& blocks = sample.archive->blocks();
  for (const uint64_t cut : PlacesToCut(sample)) {
    if (cut < sample.archive->header().EncodedSize()) continue;
    if (cut > sample.bytes.size()) continue;
    SCOPED_TRACE(cut);
    const Salvaged salvaged =
        SalvageBytes(Bytes(sample.bytes.begin(),
                           sample.bytes.begin() + static_cast<ptrdiff_t>(cut)));
    ASSERT_TRUE(salvaged.report) << salvaged.report.error().message;
    ExpectNothingWrong(sample, salvaged.outcome, std::to_string(cut));
    // What the file had is not known, also if no byte before the cut is
    // damaged.
    if (cut <= BeginOfTables(sample)) {
      EXPECT_FALSE(salvaged.report->complete);
    }
    for (size_t block = 0; block < blocks.block_count(); ++block) {
      if (blocks.block_offset(block + 1) > cut) break;
      if (!IsSelfContained(blocks, block)) continue;
      for (ObjectNumber number = blocks.first_object(block);
           number < blocks.first_object(block + 1); ++number) {
        ASSERT_TRUE(salvaged.outcome.objects.contains(blocks.id(number)));
      }
    }
  }
}

TEST_P(SalvageTest, InsertedAndRemovedBytesCostOneBlock) {
  const Sample sample = OpenSample(GetParam());
  for (const Region& region : Regions(sample)) {
    if (!region.block) continue;
    Bytes inserted = sample.bytes;
    const auto middle = static_cast<ptrdiff_t>((region.begin + region.end) / 2);
    inserted.insert(inserted.begin() + middle, 3, uint8_t{'B'});
    Bytes removed = sample.bytes;
    removed.erase(removed.begin() + middle, removed.begin() + middle + 3);
    for (const Bytes& bytes : {inserted, removed}) {
      const Salvaged salvaged = SalvageBytes(bytes);
      ASSERT_TRUE(salvaged.report) << region.name;
      ExpectNothingWrong(sample, salvaged.outcome, region.name);
      ExpectOnlyBlockLost(sample, region, salvaged);
    }
  }
}

TEST_P(SalvageTest, WithoutTheirTableFilesAreUnknown) {
  const Sample sample = OpenSample(GetParam());
  EXPECT_TRUE(SalvageBytes(sample.bytes).report->files_known);
  for (const Region& region : Regions(sample)) {
    if (region.name != "FTAB") continue;
    Bytes damaged = sample.bytes;
    Damage(damaged, region, Fill::kNoise);
    const Bytes cut(
        sample.bytes.begin(),
        sample.bytes.begin() + static_cast<ptrdiff_t>(region.begin));
    for (const Bytes& bytes : {damaged, cut}) {
      const Salvaged salvaged = SalvageBytes(bytes);
      ASSERT_TRUE(salvaged.report) << salvaged.report.error().message;
      EXPECT_FALSE(salvaged.report->files_known);
      EXPECT_FALSE(salvaged.report->complete);
      EXPECT_TRUE(salvaged.outcome.files.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, SalvageTest,
                         ::testing::Values("history.zpack", "columns.zpack",
                                           "sha256.zpack", "segments.zpack",
                                           "promised.zpack", "files.zpack",
                                           "groups.zpack", "far-deltas.zpack"));

TEST(SalvageTest, TheSampleHasGroupsOfSeveralBlocks) {
  const Sample sample = OpenSample("groups.zpack");
  const FileBlocks& blocks = sample.archive->blocks();
  size_t continuing = 0;
  for (size_t block = 0; block < blocks.block_count(); ++block) {
    continuing += Continues(blocks, block) ? 1 : 0;
  }
  EXPECT_GE(continuing, 4U);
}

// What is salvaged if one block is lost, for each block.
std::vector<Salvaged> WithoutEachBlock(const Sample& sample) {
  std::vector<Salvaged> all;
  for (const Region& region : Regions(sample)) {
    if (!region.block) continue;
    Bytes bytes = sample.bytes;
    Damage(bytes, region, Fill::kZeros);
    all.push_back(SalvageBytes(bytes));
  }
  return all;
}

TEST(SalvageTest, ObjectsOfALostBlockOfTreesAreNamed) {
  const Sample sample = OpenSample("columns.zpack");
  for (const Salvaged& salvaged : WithoutEachBlock(sample)) {
    ASSERT_TRUE(salvaged.report);
    for (const MissingObject& object : salvaged.report->missing) {
      EXPECT_TRUE(sample.all.objects.contains(object.id));
      EXPECT_FALSE(salvaged.outcome.objects.contains(object.id));
      EXPECT_FALSE(object.by.empty());
    }
  }
}

TEST(SalvageTest, ASymbolicRefIsLostWithTheRefThatItLeadsTo) {
  const Sample sample = OpenSample("files.zpack");
  constexpr const char* kSymbolic = "refs/remotes/origin/HEAD";
  const ObjectId target = sample.all.refs.Resolve(kSymbolic);
  ASSERT_FALSE(target.empty());
  int lost = 0;
  for (const Salvaged& salvaged : WithoutEachBlock(sample)) {
    ASSERT_TRUE(salvaged.report);
    const bool is_there = salvaged.outcome.objects.contains(target);
    EXPECT_EQ(salvaged.outcome.refs.Find(kSymbolic) != nullptr, is_there);
    const auto& refs = salvaged.report->lost_refs;
    EXPECT_EQ(std::ranges::count(refs, kSymbolic, &LostRef::name),
              is_there ? 0 : 1);
    for (const LostRef& ref : refs) {
      EXPECT_TRUE(ref.name != kSymbolic || ref.target == target);
    }
    lost += is_there ? 0 : 1;
  }
  EXPECT_GT(lost, 0);
}

// A file of which the read with a certain number fails.
class FailingFile final : public RandomAccessFile {
 public:
  FailingFile(Bytes content, int reads)
      : file_(std::move(content)), reads_left_(reads) {}
  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    if (reads_left_-- == 0) {
      return std::unexpected(Error{ErrorCode::kIo, "cannot read"});
    }
    return file_.Read(offset, out);
  }
  uint64_t size() const override { return file_.size(); }
  const std::string& path() const override { return file_.path(); }
  bool failed() const { return reads_left_ < 0; }

 private:
  MemoryFile file_;
  mutable int reads_left_;
};

// What cannot be read is not damage: a later run may read it.
TEST(SalvageTest, NoErrorOfReadingIsTakenForDamage) {
  Sample sample = OpenSample("files.zpack");
  const FileBlocks& blocks = sample.archive->blocks();
  Bytes bytes = sample.bytes;
  Damage(bytes, {"", 0, blocks.block_offset(1)}, Fill::kZeros);
  for (int reads = 0;; ++reads) {
    const FailingFile file(bytes, reads);
    CollectedRepository outcome;
    SalvageOptions options;
    options.restore.run.threads = 1;
    const auto report = SalvageFile(
        file, options,
        [&](const SalvagedRepository&) -> Result<std::unique_ptr<ObjectSink>> {
          return std::make_unique<CollectingSink>(outcome);
        });
    if (!file.failed()) {
      EXPECT_TRUE(report);
      break;
    }
    ASSERT_FALSE(report) << reads;
    EXPECT_EQ(report.error().code, ErrorCode::kIo);
    EXPECT_TRUE(outcome.refs.head_symref.empty()) << "published";
  }
}

TEST(SalvageTest, HeadsWithSizesThatLieAreCheap) {
  Bytes bytes;
  while (bytes.size() < (1U << 20)) {
    ByteWriter out(bytes);
    out.U32(format::kRefsChunk);
    out.U32(0);
    out.U64((1U << 20) - bytes.size() - 64);
  }
  const Salvaged salvaged = SalvageBytes(bytes);
  ASSERT_FALSE(salvaged.report);
  EXPECT_EQ(salvaged.report.error().code, ErrorCode::kCorrupt);
}

// A .zpack file is content like any other, and what does not compress is stored
// as it is. The end of the file with table and index is cut off, so only the
// numbers in the blocks tell which object is which.
TEST(SalvageTest, BlocksOfAFileInACutOffBlockAreNotTakenForItsOwn) {
  MemorySource inner;
  inner.refs.head_symref = "refs/heads/main";
  std::mt19937 random(5);
  const auto noise = [&](size_t size) {
    std::string text(size, 0);
    for (char& c : text) c = static_cast<char>(random());
    return text;
  };
  for (int i = 0; i < 400; ++i) inner.AddBlob(noise(100));
  const std::string inner_file(AsText(FileOf(inner)));

  MemorySource outer;
  outer.refs.head_symref = "refs/heads/main";
  std::vector<MemorySource::Entry> entries;
  for (int i = 0; i < 20; ++i) {
    entries.push_back({"100644", "file" + std::to_string(100 + i),
                       outer.AddBlob(noise(300 + i))});
  }
  entries.push_back({"100644", "inner",
                     outer.AddBlob(noise(9000) + inner_file + noise(9000))});
  outer.AddCommit(outer.AddTree(entries), {}, 1, "commit");
  const Bytes whole = FileOf(outer);
  const std::string_view text = AsText(whole);
  const size_t nested = text.find(inner_file.substr(200, 20'000));
  ASSERT_NE(nested, std::string_view::npos) << "the content was compressed";
  for (const size_t cut :
       {nested + inner_file.size() - 300, nested + inner_file.size() + 100}) {
    const Salvaged salvaged = SalvageBytes(
        Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(cut)));
    for (const auto& [id, object] : salvaged.outcome.objects) {
      EXPECT_TRUE(outer.objects().contains(id)) << id.ToHex();
    }
  }
}

TEST(SalvageTest, NothingIsMadeOfAFileOfAnotherKind) {
  for (const char* text : {"", "PACK", "some text that is not a .zpack file"}) {
    const Salvaged salvaged =
        SalvageBytes(Bytes(text, text + std::strlen(text)));
    ASSERT_FALSE(salvaged.report);
    EXPECT_EQ(salvaged.report.error().code, ErrorCode::kCorrupt);
  }
}

}  // namespace
}  // namespace zpack::testing
