// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the seed inputs of the fuzz targets: fuzz_make_corpus DIRECTORY.
// Needed only when the format changes; its output is kept in tests/fuzz/corpus.
// With ZPACK_TEST_OBJECT_FORMAT=sha256 in the environment, writes the seeds
// with SHA-256 objects instead.

#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"
#include "codec/zstd_codec.h"
#include "format/block.h"
#include "format/block_table.h"
#include "format/chunk.h"
#include "format/commit_block.h"
#include "format/delta_block.h"
#include "format/file_header.h"
#include "format/file_table.h"
#include "format/lost_chunk.h"
#include "format/object_index.h"
#include "format/promises_chunk.h"
#include "format/refs_chunk.h"
#include "format/trailer.h"
#include "fuzz/corpus.h"
#include "support/delta_blocks.h"
#include "support/memory_source.h"
#include "support/memory_table.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "support/tree_blocks.h"
#include "writer/delta_stretch_encoder.h"

namespace {

using namespace zpack;
using namespace zpack::testing;

void AddHeaders(const Corpus& corpus) {
  format::FileHeader header;
  header.object_count = 7;
  Bytes plain;
  format::Encode(header, plain);
  corpus.Add("header/plain", plain);
  header.optional_features = {"parity", "x-2.0"};
  header.object_format = ObjectFormat::kSha256;
  Bytes features;
  format::Encode(header, features);
  corpus.Add("header/features", features);
}

// Tables of files, and what a file with a file below has in their place and in
// that of refs.
void AddChanges(const Corpus& corpus, const MemorySource& source) {
  Bytes files;
  format::FileTable table;
  table.left_out = {FileGroup::kLfs};
  table.files = {
      {FileGroup::kHooks, "hooks/pre-commit", true, 3, {1}},
      {FileGroup::kReflogs, "logs/refs/heads/a", false, 5 << 20, {2}},
      {FileGroup::kReflogs, "logs/refs/heads/ab", false, 0, {3}}};
  table.piece_sizes = {10, 20};
  format::Encode(table, files);
  corpus.AddTable("files", 6, files);
  table.backed = true;
  table.removed = {"description"};
  table.continued = {false, true, false};
  Bytes backed_files;
  format::Encode(table, backed_files);
  corpus.AddTable("backed-files", 10, backed_files);
  format::BackedRefs refs = format::ChangesOf({}, source.refs);
  refs.below = {5, {1}, {2}, "a.zpack"};
  Bytes backed_refs;
  format::Encode(refs, backed_refs);
  corpus.AddTable("backed-refs", 9, backed_refs);
}

void AddTables(const Corpus& corpus, const MemorySource& source) {
  Bytes toc;
  format::Encode(format::TableOfContents{{{format::kRefsChunk, 1, 64, 10},
                                          {format::kObjectIdsChunk, 1, 98, 4},
                                          {0x41424344, 0, 126, 0}}},
                 toc);
  corpus.AddTable("toc", 0, toc);
  AddChanges(corpus, source);
  Bytes promised;
  format::Encode(
      Promises{{{"a", "", "tree:0"}, {"origin", "https://example.com/x", ""}},
               *ObjectIdTable::FromSorted(ObjectFormat::kSha1, Bytes(20, 7))},
      promised);
  corpus.AddTable("promised", 7, promised);
  Bytes lost;
  format::Encode(
      LostObjects{*ObjectIdTable::FromSorted(ObjectFormat::kSha1, Bytes(20, 7)),
                  {ObjectType::kBlob}},
      lost);
  corpus.AddTable("lost", 8, lost);
  Bytes blocks;
  format::Encode(format::BlockTable{{{100, ObjectNumber(0)},
                                     {200, ObjectNumber(5)},
                                     {300, ObjectNumber(5)},
                                     {400, ObjectNumber(6)},
                                     {500, ObjectNumber(9)}}},
                 blocks);
  corpus.AddTable("block-table", 1, blocks);
  Bytes refs;
  format::Encode(source.refs, refs);
  corpus.AddTable("refs", 2, refs);
  Bytes ids;
  for (const auto& [id, object] : source.objects()) Append(ids, id.bytes());
  const auto table = *ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids);
  Bytes index;
  format::EncodeObjectIds(table, index);
  corpus.AddTable("object-ids", 3, index);
  Bytes numbers = {0, 5};
  IndexedVector<FileRank, ObjectNumber> permutation;
  for (const uint32_t number : {3, 1, 0, 2, 4}) {
    permutation.push_back(ObjectNumber(number));
  }
  format::EncodeObjectNumbers(permutation, numbers);
  corpus.AddTable("object-numbers", 4, numbers);
  Bytes trailer;
  format::Encode({format::ContentDigest(table), {}}, trailer);
  corpus.AddTable("trailer", 5, trailer);
}

void AddBlocks(const Corpus& corpus) {
  const std::string text(500, 'x');
  Bytes frame;
  Require(ZstdCompressor(3).Compress(AsBytes(text), frame).has_value(), "zstd");
  Bytes block;
  format::Encode(
      {format::BlockKind::kObjects, ObjectType::kBlob, ObjectNumber(0), 2, 0},
      {{format::StreamKind::kSizes, format::StreamCodec::kStored, 4, 4},
       {format::StreamKind::kContents, format::StreamCodec::kZstd, text.size(),
        frame.size()}},
      block);
  Append(block, AsBytes({"\xac\x02\xc8\x01", 4}));
  Append(block, frame);
  corpus.Add("block/objects", block);
  Bytes segment;
  format::Encode(
      {format::BlockKind::kSegment, ObjectType::kBlob, ObjectNumber(3), 1,
       4096},
      {{format::StreamKind::kSizes, format::StreamCodec::kStored, 2, 2},
       {format::StreamKind::kContents, format::StreamCodec::kStored, 3, 3}},
      segment);
  Append(segment, AsBytes("\x80\x40"
                          "abc"));
  corpus.Add("block/segment", segment);

  // One blob, whose literals begin a group.
  Bytes piece;
  ZstdCompressor pieces(3);
  pieces.BeginPieces(text.size());
  Require(pieces.CompressPiece(AsBytes(text), piece).has_value(), "zstd");
  const format::StreamHeader empty = {format::StreamKind::kCopyLengths,
                                      format::StreamCodec::kStored, 0, 0};
  Bytes continued;
  format::Encode(
      {format::BlockKind::kDeltas, ObjectType::kBlob, ObjectNumber(0), 1, 0},
      {{format::StreamKind::kSizes, format::StreamCodec::kStored, 2, 2},
       {format::StreamKind::kBases, format::StreamCodec::kStored, 1, 1},
       {format::StreamKind::kLiteralLengths, empty.codec, 0, 0},
       empty,
       {format::StreamKind::kCopyOffsets, empty.codec, 0, 0},
       {format::StreamKind::kLiterals, format::StreamCodec::kContinued,
        text.size(), piece.size()}},
      continued);
  Append(continued, AsBytes({"\xf4\x03\0", 3}));
  Append(continued, piece);
  corpus.Add("block/continued", continued);
}

// The sample versions, and a text that is unlike them.
std::vector<Bytes> Versions() {
  std::vector<Bytes> versions;
  for (const std::string& text : SampleVersions()) {
    versions.emplace_back(AsBytes(text).begin(), AsBytes(text).end());
  }
  const ByteView unlike = AsBytes("unlike\n");
  versions.emplace_back(unlike.begin(), unlike.end());
  return versions;
}

// A block of them, as BlockDecoder gets it.
void AddDeltaBlock(const Corpus& corpus) {
  BlockEncoder encoder(3);
  DeltaStretchEncoder stretch(DeltaPlannerOptions{}, 1 << 20, encoder);
  EncodedBlocks blocks;
  stretch.Begin(ObjectNumber(2), {&blocks});
  for (const Bytes& version : Versions()) {
    Require(stretch.Add(Unprepared(version, PathNumber(1))).has_value(),
            "deltas");
  }
  Require(stretch.Finish().has_value() && blocks.size() == 1, "one block");
  const ByteView payload =
      *format::DecodeChunk(format::kBlockChunk, blocks[0].chunk);
  corpus.Add("block/deltas", Bytes(payload.begin(), payload.end()));
}

// The same with bases like those of fuzz_block.
void AddFarDeltaBlock(const Corpus& corpus) {
  const std::string base(16, 'x');
  BlockEncoder encoder(3);
  DeltaStretchEncoder stretch(
      DeltaPlannerOptions{}, 1 << 20, encoder, ObjectType::kBlob,
      [&](const FarVersion& /*far*/) -> Result<std::optional<Bytes>> {
        return Bytes(base.begin(), base.end());
      });
  EncodedBlocks blocks;
  stretch.Begin(ObjectNumber(2), {&blocks});
  for (uint32_t i = 0; i < 4; ++i) {
    const FarVersion far{
        {}, ObjectType::kBlob, {ObjectNumber(i % 2), base.size()}};
    const std::string text = "a" + base + std::to_string(i);
    Require(stretch
                .Add(Unprepared(Bytes(text.begin(), text.end()), PathNumber(1)),
                     &far)
                .has_value(),
            "far deltas");
  }
  Require(stretch.Finish().has_value() && blocks.size() == 1, "one block");
  const ByteView payload =
      *format::DecodeChunk(format::kBlockChunk, blocks[0].chunk);
  corpus.Add("block/far-deltas", Bytes(payload.begin(), payload.end()));
}

// For fuzz_delta, whose first byte chooses what is tested.
void AddDeltas(const Corpus& corpus) {
  const std::vector<Bytes> versions = Versions();
  DeltaPlanner planner{DeltaPlannerOptions{}};
  format::DeltaBlockBuilder builder;
  for (const Bytes& version : versions) {
    AddPlanned(builder, version, planner.Plan(version, PathNumber(1)));
    planner.Add(version, PathNumber(1));
  }
  Bytes streams = {0, static_cast<uint8_t>(builder.layout().count())};
  EncodeInput(builder.streams(), streams);
  corpus.Add("delta/streams", streams);

  const auto add_pair = [&](const std::string& name, const Bytes& base,
                            const Bytes& target) {
    Bytes input = {1};
    ByteWriter(input).U16(static_cast<uint16_t>(base.size()));
    Append(input, base);
    Append(input, target);
    corpus.Add("delta/" + name, input);
  };
  add_pair("insertion", versions[0], versions[1]);
  add_pair("move", versions[1], versions[2]);
  add_pair("zeros", Bytes(40, 0), Bytes(60, 0));
}

// Directories in versions, with an outside id, something that is no tree, and a
// second path; of objects as fuzz_trees and fuzz_block number them.
std::vector<PathTree> Directories(const NumberedIds& ids) {
  const ObjectId outside(Bytes(20, 0xff));
  std::vector<TextEntry> entries = {{"100644", "a.b", ids[3]},
                                    {"40000", "a", ids[4]},
                                    {"120000", "b", ids[9]}};
  std::vector<PathTree> trees = {{TreeBytes(entries), PathNumber(1)}};
  entries[1].id = ids[5];
  trees.push_back({TreeBytes(entries), PathNumber(1)});
  entries.push_back({"160000", "sub", outside});
  trees.push_back({TreeBytes(entries), PathNumber(1)});
  trees.push_back({Bytes(5, 'x'), PathNumber(1)});
  entries[1].id = ids[4];
  entries.erase(entries.begin());
  trees.push_back({TreeBytes(entries), PathNumber(1)});
  entries[0].mode = "100755";
  trees.push_back({TreeBytes(entries), PathNumber(2)});
  return trees;
}

Bytes TreeChunk(const NumberedIds& ids, uint32_t first) {
  BlockEncoder encoder(3);
  TreeStretchEncoder stretch(ids, 1 << 20, encoder);
  EncodedBlocks blocks;
  stretch.Begin(ObjectNumber(first), {&blocks});
  for (const PathTree& tree : Directories(ids)) {
    Require(stretch.Add(tree.content, tree.path).has_value(), "trees");
  }
  Require(stretch.Finish().has_value() && blocks.size() == 1, "one block");
  return blocks[0].chunk;
}

// A block of trees, as BlockDecoder gets it, for the ids of fuzz_block.
void AddTreeBlock(const Corpus& corpus) {
  NumberedIds ids;
  Bytes bytes;
  for (uint32_t number = 0; number < 16; ++number) {
    bytes.push_back(static_cast<uint8_t>(number));
    bytes.resize(bytes.size() + 19, 0);
    ids.order.push_back(FileRank(number));
    ids.numbers.push_back(ObjectNumber(number));
  }
  ids.ids = *ObjectIdTable::FromSorted(ObjectFormat::kSha1, bytes);
  const Bytes chunk = TreeChunk(ids, 10);
  const ByteView payload = *format::DecodeChunk(format::kBlockChunk, chunk);
  corpus.Add("block/trees", Bytes(payload.begin(), payload.end()));
}

// For fuzz_trees, whose first byte chooses what is tested, and its ids.
void AddTrees(const Corpus& corpus) {
  const NumberedIds ids = RepeatedBytes(40, 6);
  const UnpackedBlock unpacked = UnpackBlock(TreeChunk(ids, 0));
  Bytes streams = {0, static_cast<uint8_t>(unpacked.header.object_count)};
  EncodeInput(unpacked.streams, streams);
  corpus.Add("trees/streams", streams);

  const auto add_contents = [&](const std::string& name, uint16_t block_size) {
    Bytes contents = {1};
    ByteWriter(contents).U16(block_size);
    for (const PathTree& tree : Directories(ids)) {
      contents.push_back(static_cast<uint8_t>(tree.path.value()));
      Append(contents, tree.content);
      contents.push_back(0xfe);
    }
    corpus.Add("trees/" + name, contents);
  };
  add_contents("contents", 0xffff);
  add_contents("blocks", 100);
}

// Commits, newest first, of objects of `ids`: a merge, one whose tree is not in
// the file, one with a signature, and something that is no commit.
std::vector<std::string> CommitTexts(const NumberedIds& ids) {
  const auto commit = [](const ObjectId& tree,
                         const std::vector<ObjectId>& parents,
                         const std::string& rest) {
    std::string text = "tree " + tree.ToHex() + '\n';
    for (const ObjectId& parent : parents) {
      text += "parent " + parent.ToHex() + '\n';
    }
    return text + rest;
  };
  const std::string people =
      "author A <a@x> 1000 +0100\ncommitter B <b@x> 1100 +0000\n";
  return {commit(ids[20], {ids[11], ids[12]}, people + "\nmerge\n"),
          commit(ids[21], {ids[12]}, people + "gpgsig x\n y\n\ntwo\n"),
          commit(ObjectId(Bytes(20, 0xff)), {}, people + "\none\n"),
          "no commit"};
}

// A block of commits for the ids of fuzz_block, and inputs of fuzz_commits,
// whose first byte chooses what is tested.
void AddCommits(const Corpus& corpus) {
  const NumberedIds ids = RepeatedBytes(40, 6);
  format::CommitBlockBuilder builder(ids);
  builder.Begin(ObjectNumber(10));
  Bytes contents = {1};
  for (const std::string& text : CommitTexts(ids)) {
    builder.Add(AsBytes(text));
    Append(contents, AsBytes(text));
    contents.push_back(0xfe);
  }
  corpus.Add("commits/contents", contents);
  Bytes streams = {0, static_cast<uint8_t>(builder.count())};
  EncodeInput(builder.streams(), streams);
  corpus.Add("commits/streams", streams);

  Bytes chunk;
  Require(BlockEncoder(3)
              .Encode({.kind = format::BlockKind::kCommits,
                       .type = ObjectType::kCommit,
                       .first_object = ObjectNumber(10),
                       .object_count = builder.count()},
                      builder.streams().Views(), chunk)
              .has_value(),
          "commits");
  const ByteView payload = *format::DecodeChunk(format::kBlockChunk, chunk);
  corpus.Add("block/commits", Bytes(payload.begin(), payload.end()));
}

void AddCommandLines(const Corpus& corpus) {
  for (const auto& [name, text] :
       std::initializer_list<std::pair<const char*, const char*>>{
           {"convert", "convert\n--level\n9\n--threads=2\n-qf\nrepo\nfile"},
           {"verify", "verify\n--level=objects\n--against\nrepo\n--\n-file"},
           {"cat-file", "cat-file\n--batch=%(objectname) %(rest)%%\nfile"},
           {"rev-list", "rev-list\n--objects\n--count\nfile\nHEAD\nv1"},
           {"restore", "restore\n--force\nfile\ndirectory"},
           {"block-size", "convert\n--block-size\n8m\na\nb"},
           {"help", "--help"},
           {"unknown", "frobnicate\n--x"}}) {
    corpus.Add(std::string("cli/") + name,
               Bytes(AsBytes(text).begin(), AsBytes(text).end()));
  }
}

bool IsSha256() { return TestFormat() == ObjectFormat::kSha256; }

void AddPack(const Corpus& corpus) {
  const TempDir directory;
  const RepoBuilder repo(directory / "repo");
  repo.History(3);
  std::string text = RawToHex(RandomBytes(1, 200));
  for (int i = 0; i < 4; ++i) repo.WriteBlob(text += "line\n");
  for (const bool by_offset : {true, false}) {
    const std::string path =
        (directory / "pack-") +
        repo.Git({"pack-objects", "-q",
                  by_offset ? "--delta-base-offset" : "--no-reuse-delta",
                  directory / "pack"},
                 repo.Git({"cat-file", "--batch-all-objects",
                           "--batch-check=%(objectname)"}) +
                     '\n');
    const std::string index = ReadFile(path + ".idx");
    Bytes input;
    ByteWriter to(input);
    to.U16(static_cast<uint16_t>(index.size() | (IsSha256() ? 0x8000 : 0)));
    to.Raw(AsBytes(index));
    to.Raw(AsBytes(ReadFile(path + ".pack")));
    corpus.Add(std::string(IsSha256() ? "pack/sha256-" : "pack/") +
                   (by_offset ? "offsets" : "references"),
               input);
  }
}

// For fuzz_reftable, whose first byte chooses what is tested.
void AddReftables(const Corpus& corpus) {
  const auto add = [&](const std::string& name, uint8_t choice,
                       ByteView content) {
    Bytes input = {choice};
    Append(input, content);
    corpus.Add("reftable/" + name, input);
  };
  TableRecords records;
  for (uint8_t i = 1; i < 30; ++i) {
    const std::string name = "refs/heads/" + std::string(i, 'a');
    records.refs.push_back(DirectRef(name, i, i));
    records.logs.push_back(LogEntry(name, i, 2));
    records.logs.push_back(LogEntry(name, i % 3, 1));
  }
  records.refs[3].ref.peeled = records.refs[4].ref.target;
  records.refs[5].ref = {records.refs[5].ref.name, {}, {}, "refs/heads/a"};
  records.refs[6] = DirectRef(records.refs[6].ref.name, 0);
  reftable::TableOptions options;
  options.max_update_index = 100;
  options.block_size = 256;
  add("aligned", 0, *WriteTable(options, records));
  options.alignment = reftable::Alignment::kNone;
  add("unaligned", 0, *WriteTable(options, records));
  options.block_size = 4096;
  add("one-block", 0, *WriteTable(options, records));
  const Bytes refs = *WriteTable(options, {records.refs, {}});
  add("refs", 4, ByteView(refs).subspan(28, refs.size() - 28 - 68));
  add("only-logs", 0, *WriteTable(options, {{}, records.logs}));
  reftable::BlockBuilder block(4);
  block.Start(reftable::BlockType::kLog, Bytes(24));
  for (const auto& log : records.logs) {
    Bytes value;
    const unsigned type = EncodeValue(log, {}, value);
    Require(block.Add(KeyOf(log), type, value, 1 << 20), "log block");
  }
  add("logs", 2, ByteView(block.Finish()).subspan(28));
  add("list", 6,
      AsBytes("0x000000000001-0x000000000002-884f8d30.ref\n3-3-aZ.log\n"));
}

// Servers: one that does as it should, and one that does one thing wrong each.
void AddReplies(const Corpus& corpus) {
  corpus.Add("url/right", {0});
  for (uint8_t kind = 1; kind < 12; ++kind) {
    corpus.Add(
        "url/kind-" + std::to_string(kind),
        {3, 0, 0, 0, 0, kind, 1, 2, 3, kind, 0, 9, 1, 0, 1, 2, 3, 1, 0, 9, 0});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_make_corpus <directory>\n");
    return 129;
  }
  const Corpus corpus(argv[1]);
  if (IsSha256()) {
    AddPack(corpus);
    AddSha256File(corpus);
    return 0;
  }
  const MemorySource source = SampleHistory(3);
  AddHeaders(corpus);
  AddTables(corpus, source);
  AddBlocks(corpus);
  AddDeltaBlock(corpus);
  AddFarDeltaBlock(corpus);
  AddDeltas(corpus);
  AddTreeBlock(corpus);
  AddTrees(corpus);
  AddCommits(corpus);
  AddCommandLines(corpus);
  AddPack(corpus);
  AddReftables(corpus);
  AddFiles(corpus);
  AddRepositories(corpus);
  AddReplies(corpus);
  return 0;
}
