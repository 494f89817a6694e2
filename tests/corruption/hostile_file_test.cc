// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// That files of the builder are what they seem, so that tests with hostile ones
// test what they mean to.

#include "support/hostile_file.h"

#include <gtest/gtest.h>

#include "support/sample_file.h"

namespace zpack::testing {
namespace {

TEST(HostileFile, AFileFromScratchIsValid) {
  HostileFile file;
  EXPECT_EQ(FirstDamage(file.Build()), "");
  const uint32_t blob =
      file.AddObjects(ObjectType::kBlob, {Varints({1}), Varints({2, 3})});
  const uint32_t large =
      file.AddSegments(ObjectType::kBlob, Repeated('x', 10000), 4096);
  EXPECT_EQ(large, 2U);
  file.AddRef("refs/b", file.ids[large]);
  file.AddRef("refs/a", file.ids[blob]);
  EXPECT_EQ(FirstDamage(file.Build()), "");
}

TEST(HostileFile, AFileTakenApartIsPutTogetherAgain) {
  const Bytes valid = SampleFile();
  HostileFile file(valid);
  EXPECT_EQ(file.Build(), valid);
  for (HostileFile::Block& block : file.blocks) {
    format::BlockHeader header;
    const RawStreams streams = UnpackStreams(block.chunk, header);
    block.chunk = BlockChunk(header, streams);
  }
  EXPECT_EQ(FirstDamage(file.Build()), "");
}

TEST(HostileFile, ARepairedFileHasRightChecksumsAndHashes) {
  const Bytes valid = SampleFile();
  Bytes repaired = valid;
  repaired[repaired.size() - 40] ^= 1;  // the content digest
  repaired[repaired.size() - 1] ^= 1;   // the file hash
  RepairFile(repaired);
  EXPECT_EQ(repaired, valid);
}

}  // namespace
}  // namespace zpack::testing
