// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole file: opened, verified, every object looked up and read, the history
// walked and statistics taken, both as it is and with its checksums made right.

#include <cstdlib>
#include <memory>
#include <vector>

#include "fuzz/chain_input.h"
#include "fuzz/fuzz_target.h"
#include "history/revision_walk.h"
#include "reader/archive_file.h"
#include "reader/object_locator.h"
#include "reader/object_reader.h"
#include "report/statistics_collector.h"
#include "support/repair.h"
#include "verify/verify_archive.h"

namespace {

using namespace zpack;

// Looks objects up without loading the index. `whole` is the same file with it,
// or null when that is damaged.
void LookUp(const Bytes& bytes, const ReadOptions& options,
            const ArchiveFile* whole) {
  const auto archive = ArchiveFile::OpenWithoutIndex(
      zpack::testing::OpenChainInput(zpack::testing::SplitChain(bytes)),
      options);
  if (!archive) return;
  ObjectLocator locator(**archive);
  if (whole == nullptr) {
    // Any ids. Nobody can know that one is not there.
    const size_t width = ObjectIdWidth((*archive)->header().object_format);
    for (size_t at = 0; at + width < bytes.size(); at += 8 * width) {
      const ObjectId id(ByteView(bytes).subspan(at, width));
      const auto number = locator.FindChecked(id);
      if (!number && number.error().code == ErrorCode::kNotFound) std::abort();
      const auto matches = locator.FindPrefix(id.ToHex().substr(0, 4), 3);
      if (matches && matches->count == 0) std::abort();
    }
    return;
  }
  for (const FileRank rank : whole->ids().ranks()) {
    const ObjectId id = whole->ids()[rank];
    const auto number = locator.FindChecked(id);
    const auto matches = locator.FindPrefix(id.ToHex(), 2);
    if (!number || *number != whole->number(rank) || !matches ||
        matches->first != std::vector{id}) {
      std::abort();
    }
  }
}

void UseFile(const Bytes& bytes) {
  ReadOptions options;
  options.max_block_size = 1 << 20;
  options.max_object_size = 1 << 20;
  options.max_chunk_size = 1 << 20;
  const auto archive = ArchiveFile::Open(
      zpack::testing::OpenChainInput(zpack::testing::SplitChain(bytes)),
      options);
  LookUp(bytes, options, archive ? archive->get() : nullptr);
  if (!archive) return;
  RunOptions run;
  run.threads = 1;
  VerifyReport report;
  (void)VerifyArchive(**archive, {.level = VerifyLevel::kConnectivity}, run,
                      report);
  ObjectReader reader(**archive);
  Bytes content;
  for (const ObjectNumber number :
       IndexRange<ObjectNumber>((*archive)->ids().size())) {
    (void)reader.ReadInfo(number);
    (void)reader.Read(number, (*archive)->ids()[(*archive)->rank(number)],
                      content);
  }
  for (const WalkObjects objects : {WalkObjects::kCommits, WalkObjects::kAll}) {
    const WalkOptions walk{WalkRefs::kAll, {}, objects};
    (void)WalkRevisions(**archive, walk,
                        [](const WalkedObject&) { return Status(); });
  }
  StatisticsCollector collector(**archive);
  if (collector.ReadBlocks(run)) (void)collector.Finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, data + size);
  UseFile(bytes);
  std::vector<Bytes> files = zpack::testing::SplitChain(bytes);
  for (Bytes& file : files) zpack::testing::RepairChecksums(file);
  zpack::testing::LinkChain(files);
  UseFile(zpack::testing::JoinChain(files));
  return 0;
}
