// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "object/object_batch_hasher.h"
#include "reader/block_decoder.h"
#include "reader/visit_run.h"
#include "salvage/fatal_error.h"
#include "salvage/object_prover.h"

namespace zpack {
namespace {

// A block, or an object in segments, with the ids that its objects hash to.
struct ProofItem {
  BlockRun run;
  std::vector<ObjectId> ids;
  std::optional<Error> error;
};

class WholeWorker {
 public:
  explicit WholeWorker(const Salvaging& salvaging)
      : salvaging_(salvaging), hasher_(salvaging.file.object_format()) {}

  Status Run(ProofItem& item) {
    const Result<Visit> visited =
        VisitRun({salvaging_.file, decoder_, salvaging_.run.stop}, item.run, {},
                 {.object = [&](ObjectNumber /*number*/, ObjectType type,
                                ByteView content) -> Status {
                    hasher_.Add(type, content);
                    if (hasher_.full()) Flush(item);
                    return {};
                  },
                  .piece = [](ByteView /*piece*/) { return Status{}; },
                  .end = [&](const ObjectId& actual) -> Status {
                    item.ids.push_back(actual);
                    return {};
                  },
                  .lost = [&](ObjectNumber /*number*/,
                              const Error& error) -> Result<Visit> {
                    if (IsFatal(error)) return std::unexpected(error);
                    // The other objects of the block are lost for the same
                    // reason.
                    item.error = error;
                    return Visit::kStop;
                  }});
    Flush(item);
    if (item.error) item.ids.clear();
    ZPACK_TRY(visited);
    return {};
  }

 private:
  void Flush(ProofItem& item) {
    for (const ObjectId& id : hasher_.Finish()) item.ids.push_back(id);
  }

  const Salvaging& salvaging_;
  BlockDecoder decoder_;
  ObjectBatchHasher hasher_;
};

// True if the ids in the block's objects need not be known to hash them.
bool IsWhole(const Salvaging& salvaging, size_t row) {
  const format::BlockKind kind = salvaging.blocks.block(row).header.kind;
  return salvaging.ids.has_index() || (kind != format::BlockKind::kTrees &&
                                       kind != format::BlockKind::kCommits);
}

Status TakeProofs(const Salvaging& salvaging, const ProofItem& item) {
  const size_t row = item.run.first;
  if (item.error) return salvaging.Note(row, *item.error);
  salvaging.ids.AddBlock(row);
  const ObjectNumber first = salvaging.file.first_object(row);
  for (size_t i = 0; i < item.ids.size(); ++i) {
    const ObjectNumber number = first + static_cast<uint32_t>(i);
    const ObjectId& actual = item.ids[i];
    const ObjectId expected = salvaging.ids.Id(number);
    if (!salvaging.ids.has_index() || expected == actual) {
      salvaging.ids.SetProven(number, actual);
      continue;
    }
    salvaging.damages.push_back(NewError(
        ErrorCode::kCorrupt, "object {} hashes to {} at offset {} of '{}'",
        expected, actual, AtOffset{salvaging.blocks.block(row).offset},
        AtPath{salvaging.file.path()}));
  }
  return {};
}

}  // namespace

Status Salvaging::Note(size_t row, const Error& error) const {
  if (IsFatal(error)) return std::unexpected(error);
  damages.push_back(NewError(error.code, "block at offset {} of '{}': {}",
                             AtOffset{blocks.block(row).offset},
                             AtPath{file.path()}, MessageText{error.message}));
  return {};
}

Status ProveWholeObjects(const Salvaging& salvaging) {
  size_t next = 0;
  return RunOrderedPipeline<ProofItem>(
      PipelineThreads{ResolveThreads(salvaging.run.threads),
                      salvaging.run.stop},
      [&] { return WholeWorker(salvaging); },
      [&](ProofItem& item) -> Result<bool> {
        while (next < salvaging.blocks.row_count()) {
          const size_t row = next;
          if (!salvaging.blocks.IsBlock(row)) {
            ++next;
            continue;
          }
          item.run = RunAt(salvaging.file, row);
          next = item.run.last;
          if (IsWhole(salvaging, row)) return true;
        }
        return false;
      },
      [](ProofItem& item, WholeWorker& worker) { return worker.Run(item); },
      [&](ProofItem& item) { return TakeProofs(salvaging, item); });
}

}  // namespace zpack
