// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// That files of the builder are what they seem, so that tests with hostile ones
// test what they mean to.

#include "support/hostile_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "base/file.h"
#include "convert/convert_source.h"
#include "reader/pack_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"
#include "verify/verify_pack.h"

namespace zpack::testing {
namespace {

// Everything that `verify` says of a file.
std::string Verify(const Bytes& bytes) {
  const auto pack =
      PackFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
  if (!pack) return pack.error().message;
  RunOptions run;
  run.threads = 1;
  VerifyReport report;
  const Status status =
      VerifyPack(**pack, VerifyLevel::kConnectivity, run, report);
  if (!status) return status.error().message;
  return report.ok() ? "ok" : report.damages.front().message;
}

Bytes ValidFile() {
  MemorySource source = SampleHistory(4);
  const TempDir directory;
  const std::string path = directory / "a.zpack";
  ConvertOptions options;
  options.run.threads = 1;
  const auto stats = ConvertSource([&](SourceUse) { return source.Open(); },
                                   PosixFileSystem(), path, options);
  Require(stats.has_value(), "convert");
  return *ReadWholeFile(PosixFileSystem(), path, 1 << 20);
}

TEST(HostileFile, AFileFromScratchIsValid) {
  HostileFile file;
  EXPECT_EQ(Verify(file.Build()), "ok");
  const uint32_t blob =
      file.AddObjects(ObjectType::kBlob, {Varints({1}), Varints({2, 3})});
  const uint32_t large =
      file.AddSegments(ObjectType::kBlob, Repeated('x', 10000), 4096);
  EXPECT_EQ(large, 2U);
  file.AddRef("refs/b", file.ids[large]);
  file.AddRef("refs/a", file.ids[blob]);
  EXPECT_EQ(Verify(file.Build()), "ok");
}

TEST(HostileFile, AFileTakenApartIsPutTogetherAgain) {
  const Bytes valid = ValidFile();
  HostileFile file(valid);
  EXPECT_EQ(file.Build(), valid);
  for (HostileFile::Block& block : file.blocks) {
    format::BlockHeader header;
    const RawStreams streams = UnpackStreams(block.chunk, header);
    block.chunk = BlockChunk(header, streams);
  }
  EXPECT_EQ(Verify(file.Build()), "ok");
}

TEST(HostileFile, ARepairedFileHasRightChecksumsAndHashes) {
  const Bytes valid = ValidFile();
  Bytes repaired = valid;
  repaired[repaired.size() - 40] ^= 1;  // the content digest
  repaired[repaired.size() - 1] ^= 1;   // the file hash
  RepairFile(repaired);
  EXPECT_EQ(repaired, valid);
}

}  // namespace
}  // namespace zpack::testing
