// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole file: opened, verified, every object read, the history walked and
// statistics taken, both as it is and with its checksums made right.

#include <memory>

#include "fuzz/fuzz_target.h"
#include "reader/object_reader.h"
#include "reader/pack_file.h"
#include "reader/revision_walk.h"
#include "reader/statistics_collector.h"
#include "support/memory_file.h"
#include "support/repair.h"
#include "verify/verify_pack.h"

namespace {

using namespace zpack;

void UseFile(const Bytes& bytes) {
  ReadOptions options;
  options.max_block_size = 1 << 20;
  options.max_object_size = 1 << 20;
  options.max_chunk_size = 1 << 20;
  const auto pack = PackFile::Open(
      std::make_unique<zpack::testing::MemoryFile>(bytes), options);
  if (!pack) return;
  RunOptions run;
  run.threads = 1;
  VerifyReport report;
  (void)VerifyPack(**pack, VerifyLevel::kConnectivity, run, report);
  ObjectReader reader(**pack);
  Bytes content;
  for (uint32_t number = 0; number < (*pack)->ids().size(); ++number) {
    (void)reader.ReadInfo(number);
    (void)reader.Read(number, content);
  }
  for (const WalkObjects objects : {WalkObjects::kCommits, WalkObjects::kAll}) {
    const WalkOptions walk{WalkRefs::kAll, {}, objects};
    (void)WalkRevisions(**pack, walk,
                        [](const WalkedObject&) { return Status(); });
  }
  StatisticsCollector collector(**pack);
  if (collector.ReadBlocks(run)) (void)collector.Finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, data + size);
  UseFile(bytes);
  zpack::testing::RepairChecksums(bytes);
  UseFile(bytes);
  return 0;
}
