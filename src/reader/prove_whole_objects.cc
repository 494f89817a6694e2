// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "object/object_batch_hasher.h"
#include "reader/block_decoder.h"
#include "reader/object_prover.h"
#include "reader/visit_run.h"

namespace zpack {
namespace {

// A block, or an object in segments, with the ids that its objects hash to.
struct ProofItem {
  BlockRun run;
  std::optional<LinkedBlock> linked;  // then there are no ids
  std::vector<ObjectId> ids;
  uint64_t bytes = 0;
  std::optional<Error> error;  // then there are no ids
  // Why some objects of a block of far deltas, whose ids are empty, are lost.
  std::optional<Error> lost_base;
};

class WholeWorker {
 public:
  explicit WholeWorker(const Proving& proving)
      : proving_(proving), hasher_(proving.file.object_format()) {}

  Status Run(ProofItem& item) {
    const Result<Visit> visited = VisitObjects(item);
    Flush(item);
    if (item.error) item.ids.clear();
    ZPACK_TRY(visited);
    return {};
  }

 private:
  Result<Visit> VisitObjects(ProofItem& item) {
    const auto view = decoder_.Load(proving_.file, item.run.first);
    if (!view) return Lose(item, view.error());
    const format::BlockKind kind = view->header.kind;
    const bool far = kind == format::BlockKind::kFarDeltas;
    // The content of a tree in a block of far deltas follows from its base.
    const bool linked = kind == format::BlockKind::kTrees ||
                        kind == format::BlockKind::kCommits ||
                        (far && view->header.type == ObjectType::kTree);
    if (linked && !proving_.ids.has_index()) {
      item.linked = LinkedBlock{item.run.first, kind};
      return Visit::kContinue;
    }
    const auto block = decoder_.Decode(proving_.file, item.run.first, *view);
    if (!block) return Lose(item, block.error());
    return VisitRun({proving_.file, decoder_, proving_.stop}, item.run, *block,
                    {},
                    {.object = [&](ObjectNumber /*number*/, ObjectType type,
                                   ByteView content) -> Status {
                       item.bytes += content.size();
                       hasher_.Add(type, content);
                       if (hasher_.full()) Flush(item);
                       return {};
                     },
                     .piece = [&](ByteView piece) -> Status {
                       item.bytes += piece.size();
                       return {};
                     },
                     .end = [&](const ObjectId& actual) -> Status {
                       item.ids.push_back(actual);
                       return {};
                     },
                     .lost = [&, far](ObjectNumber /*number*/,
                                      const Error& error) -> Result<Visit> {
                       // The other objects of the block are lost for the same
                       // reason.
                       if (!far) return Lose(item, error);
                       Flush(item);
                       item.ids.emplace_back();
                       item.lost_base = error;
                       return Visit::kContinue;
                     }});
  }

  static Result<Visit> Lose(ProofItem& item, const Error& error) {
    item.error = error;
    return Visit::kStop;
  }

  void Flush(ProofItem& item) {
    for (const ObjectId& id : hasher_.Finish()) item.ids.push_back(id);
  }

  const Proving& proving_;
  BlockDecoder decoder_;
  ObjectBatchHasher hasher_;
};

Status TakeProofs(const Proving& proving, const ProofItem& item,
                  std::vector<LinkedBlock>& linked) {
  const size_t row = item.run.first;
  if (item.error) {
    return proving.lose(row, proving.file.block_object_count(row), *item.error);
  }
  if (item.linked) {
    linked.push_back(*item.linked);
    return {};
  }
  proving.ids.AddBlock(row);
  const ObjectNumber first = proving.file.first_object(row);
  for (size_t i = 0; i < item.ids.size(); ++i) {
    const ObjectNumber number = first + static_cast<uint32_t>(i);
    const ObjectId& actual = item.ids[i];
    if (actual.empty()) continue;
    if (proving.ids.IsExpected(number, actual)) {
      proving.ids.SetProven(number, actual);
    } else {
      proving.differs(row, proving.ids.Id(number), actual);
    }
  }
  const auto lost = static_cast<uint32_t>(std::ranges::count_if(
      item.ids, [](const ObjectId& id) { return id.empty(); }));
  if (proving.advance) proving.advance(item.ids.size() - lost, item.bytes);
  if (item.lost_base) return proving.lose(row, lost, *item.lost_base);
  return {};
}

}  // namespace

Result<std::vector<LinkedBlock>> ProveWholeObjects(const Proving& proving) {
  std::vector<LinkedBlock> linked;
  size_t next = 0;
  ZPACK_TRY(RunOrderedPipeline<ProofItem>(
      PipelineThreads{proving.threads, proving.stop},
      [&] { return WholeWorker(proving); },
      [&](ProofItem& item) -> Result<bool> {
        while (next < proving.file.block_count() && proving.has_block &&
               !proving.has_block(next)) {
          ++next;
        }
        if (next == proving.file.block_count()) return false;
        item.run = RunAt(proving.file, next);
        next = item.run.last;
        return true;
      },
      [](ProofItem& item, WholeWorker& worker) { return worker.Run(item); },
      [&](ProofItem& item) { return TakeProofs(proving, item, linked); }));
  return linked;
}

Status ProveObjects(const Proving& proving) {
  ZPACK_ASSIGN_OR_RETURN(const std::vector<LinkedBlock> linked,
                         ProveWholeObjects(proving));
  return ProveLinkedObjects(proving, linked);
}

}  // namespace zpack
