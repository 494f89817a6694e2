// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "fuzz/corpus.h"
#include "support/memory_source.h"
#include "support/repo_builder.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"
#include "zpack/convert.h"
#include "zpack/parity.h"

namespace zpack::testing {
namespace {

// Objects of no usual form, and what a file says of objects that it lacks.
MemorySource OddObjects() {
  MemorySource source = SampleHistory(2);
  const ObjectId outside(Bytes(20, 0xab));
  const ObjectId blob = source.AddBlob("text\n");
  const ObjectId tree = source.AddTree({{"100644", "a", blob},
                                        {"120000", "link", blob},
                                        {"160000", "module", outside}});
  const ObjectId odd_mode = source.AddTree({{"0100664", "a", blob}});
  source.Add(ObjectType::kTree, "not a tree");
  source.Add(ObjectType::kCommit, "not a commit");
  source.Add(ObjectType::kTag, "not a tag");
  const ObjectId merge = source.AddCommit(
      tree, {source.refs.refs[0].target, outside}, 1, "merge\n");
  source.AddCommit(odd_mode, {merge}, 2, "");
  ObjectId tag = source.AddTag(merge, ObjectType::kCommit, "t");
  for (int i = 0; i < 5; ++i) {
    tag = source.AddTag(tag, ObjectType::kTag, "t" + std::to_string(i));
  }
  source.AddRef({"refs/tags/deep", tag, merge, ""});
  source.refs.shallow = {merge};
  source.refs.head_symref.clear();
  source.refs.head_target = merge;
  return source;
}

// Directories below directories, and blobs of every size around a block's.
MemorySource DeepTrees() {
  MemorySource source = SampleHistory(0);
  std::vector<ObjectId> parents;
  for (int version = 0; version < 6; ++version) {
    std::string text = "version " + std::to_string(version) + '\n';
    ObjectId child = source.AddBlob(text);
    for (int depth = 0; depth < 20; ++depth) {
      const ObjectId noise =
          source.AddBlob(RandomBytes(static_cast<uint64_t>(depth), 40));
      child = source.AddTree({{"40000", "d", child}, {"100644", "n", noise}});
    }
    parents = {source.AddCommit(child, parents, 10, text)};
  }
  source.AddBlob(RandomBytes(7, 9000));
  source.AddBlob(std::string(9000, 'z'));
  source.AddRef({"refs/heads/main", parents[0], {}, ""});
  return source;
}

// A damaged file with its parity, as fuzz_parity gets them.
Bytes ParityInput(ByteView file, ByteView parity) {
  Bytes input;
  ByteWriter to(input);
  to.U8(static_cast<uint8_t>(file.size() >> 16));
  to.U16(static_cast<uint16_t>(file.size()));
  to.Raw(file);
  to.Raw(parity);
  input[3 + file.size() / 2] ^= 1;
  return input;
}

// For a damaged file that has parity, and for the sample, which fuzz_commands
// damages, with parity beside it.
void AddParity(const Corpus& corpus) {
  const TempDir directory;
  const std::string path = directory / "a.zpack";
  const Bytes sample = SampleFile();
  WriteFile(path, AsText(sample));
  ProtectOptions options;
  options.run.threads = 1;
  options.place = ParityPlace::kBeside;
  Require(Protect(path, options).has_value(), "cannot protect");
  const std::string parity = ReadFile(path + ".zpar");
  corpus.Add("commands/parity",
             Bytes(AsBytes(parity).begin(), AsBytes(parity).end()));
  corpus.Add("parity/beside", ParityInput(sample, AsBytes(parity)));
  options.place = ParityPlace::kInside;
  options.output = directory / "protected.zpack";
  Require(Protect(path, options).has_value(), "cannot protect");
  const std::string whole = ReadFile(options.output);
  corpus.Add("parity/inside", ParityInput(AsBytes(whole), {}));
  Bytes damaged(AsBytes(whole).begin(), AsBytes(whole).end());
  damaged[damaged.size() / 3] ^= 1;
  corpus.Add("commands/protected", damaged);
}

void AddSamples(const Corpus& corpus) {
  MemorySource source = SampleHistory(3);
  for (const std::string& version : SampleVersions()) source.AddBlob(version);
  corpus.Add("file/history", FileOf(source, 1 << 20));
  corpus.Add("file/segments", SegmentedFile());
  Bytes chain;
  for (const Bytes& file : SampleChain()) Append(chain, file);
  corpus.Add("file/chain", chain);
  MemorySource empty = SampleHistory(0);
  corpus.Add("file/empty", FileOf(empty, 4096));
}

}  // namespace

void AddFiles(const Corpus& corpus) {
  AddSamples(corpus);
  AddParity(corpus);
  MemorySource odd = OddObjects();
  corpus.Add("commands/odd", FileOf(odd, 1 << 20));
  MemorySource deep = DeepTrees();
  corpus.Add("commands/deep", FileOf(deep, 1 << 20));
  corpus.Add("commands/small-blocks", FileOf(deep, 4096));
  MemorySource with_files = SampleHistory(1);
  with_files.files = SampleFiles();
  corpus.Add("commands/files", FileOf(with_files, 4096));
  MemorySource partial = SamplePartialClone();
  corpus.Add("commands/promised", FileOf(partial, 4096));
  corpus.Add("commands/lost", FileWithLosses(4096));
}

void AddSha256File(const Corpus& corpus) {
  const TempDir directory;
  const RepoBuilder repo(directory / "repo");
  const std::string tip = repo.History(12);
  repo.SetRef("refs/tags/v1", repo.WriteTag(tip, "commit", "v1"));
  ConvertOptions options;
  options.run.threads = 1;
  options.block_size = 4096;
  const std::string path = directory / "a.zpack";
  Require(Convert(repo.path(), path, options).has_value(), "cannot convert");
  corpus.Add("file/sha256", *ReadWholeFile(PosixFileSystem(), path, 1 << 20));
}

}  // namespace zpack::testing
