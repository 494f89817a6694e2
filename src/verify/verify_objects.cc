// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/object_batch_checker.h"
#include "reader/content_size.h"
#include "reader/decoders.h"
#include "reader/visit_run.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

struct RunInFlight {
  BlockRun run;
  std::vector<Error> damages;
  uint64_t objects = 0;   // number of intact objects
  uint64_t attempts = 0;  // number of objects, intact or not
  uint64_t bytes = 0;
};

class ObjectWorker {
 public:
  ObjectWorker(const FileBlocks& file, const std::stop_token& stop)
      : file_(file),
        stop_(stop),
        batch_(file.object_format(),
               [this](const ObjectId& expected, const ObjectId& actual) {
                 Compare(expected, actual);
                 return Status{};
               }) {}

  ObjectWorker(const ObjectWorker&) =
      delete;  // batch_ keeps a pointer to this object
  ObjectWorker& operator=(const ObjectWorker&) = delete;

  // Damage goes into `out`. Returns kInterrupted after a stop.
  Status Verify(RunInFlight& out) {
    out_ = &out;
    const ObjectNumber first = file_.first_object(out.run.first);
    const Result<Visit> visited = VisitRun(
        {file_, decoder_, stop_}, out.run, {},
        {.object = [&](ObjectNumber number, ObjectType type,
                       ByteView content) -> Status {
           out.bytes += content.size();
           return batch_.Add(type, content, Id(number));
         },
         .piece = [&](ByteView piece) -> Status {
           out.bytes += piece.size();
           return {};
         },
         .end = [&](const ObjectId& actual) -> Status {
           Compare(Id(first), actual);
           return {};
         },
         .lost = [&](ObjectNumber number, const Error& error) -> Status {
           Lose(number, error);
           return {};
         }});
    FinishBatch();
    ZPACK_TRY(visited);
    return {};
  }

 private:
  ObjectId Id(ObjectNumber number) const {
    return file_.ids()[file_.rank(number)];
  }

  // Records the result for the next object of the run.
  void Compare(const ObjectId& expected, const ObjectId& actual) {
    ++out_->attempts;
    if (actual == expected) {
      ++out_->objects;
    } else {
      out_->damages.push_back(HashMismatch(file_, out_->run, expected, actual));
    }
  }

  // Reports that an object cannot be read.
  void Lose(ObjectNumber number, const Error& error) {
    FinishBatch();
    Error damage = LossError(file_, out_->run, Id(number), error);
    if (damage.code != ErrorCode::kIo) damage.code = ErrorCode::kCorrupt;
    out_->damages.push_back(std::move(damage));
    ++out_->attempts;
  }

  void FinishBatch() { (void)batch_.Finish(); }  // Compare does not fail.

  const FileBlocks& file_;
  const std::stop_token& stop_;
  RunInFlight* out_ = nullptr;  // of the current call of Verify
  ObjectBatchChecker batch_;
  BlockDecoder decoder_;
};

}  // namespace

Status VerifyObjects(const FileBlocks& file, const std::vector<bool>& trusted,
                     const RunOptions& run, VerifyReport& report) {
  const ProgressPhase phase(run.progress, Phase::kVerifyingObjects,
                            file.ids().size(), ContentSize(file, trusted, run));
  if (trusted.empty()) file.Prefetch(0, file.block_count());
  size_t next = 0;
  return RunOrderedPipeline<RunInFlight>(
      PipelineThreads{DecodingThreads(run, file), run.stop},
      [&] { return ObjectWorker(file, run.stop); },
      [&](RunInFlight& item) -> Result<bool> {
        while (next < trusted.size() && trusted[next]) {
          phase.Advance(
              file.continues_previous(next) ? 0 : file.block_object_count(next),
              0);
          ++next;
        }
        if (next == file.block_count()) return false;
        item.run = RunAt(file, next);
        next = item.run.last;
        return true;
      },
      [&](RunInFlight& item, ObjectWorker& worker) -> Status {
        return worker.Verify(item);
      },
      [&](RunInFlight& item) -> Status {
        report.objects_verified += item.objects;
        report.objects_damaged += item.attempts - item.objects;
        report.bytes_verified += item.bytes;
        std::ranges::move(item.damages, std::back_inserter(report.damages));
        phase.Advance(item.attempts, item.bytes);
        return {};
      });
}

}  // namespace zpack
