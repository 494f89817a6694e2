// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/object_batch_checker.h"
#include "object/object_hasher.h"
#include "reader/content_size.h"
#include "reader/object_run.h"
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

class Worker {
 public:
  Worker(const FileBlocks& file, const std::stop_token& stop)
      : file_(file),
        stop_(stop),
        hasher_(file.object_format()),
        batch_(file.object_format(),
               [this](const ObjectId& expected, const ObjectId& actual) {
                 Compare(expected, actual);
                 return Status{};
               }) {}

  Worker(const Worker&) = delete;  // batch_ keeps a pointer to this object
  Worker& operator=(const Worker&) = delete;

  // Damage goes into `out`.
  void Verify(RunInFlight& out) {
    out_ = &out;
    const Result<DecodedBlock> block = decoder_.Decode(file_, out.run.first);
    if (!block) {
      Lost(block.error(), out);
      return;
    }
    if (IsSegmented(out.run, *block)) {
      VerifySegments(*block, out);
      return;
    }
    const auto& header = block->objects.header;
    const Status visited = block->ForEachObject(
        file_.max_kept(), [&](size_t index, ByteView content) -> Status {
          ZPACK_TRY(CheckStop(stop_));
          out.bytes += content.size();
          return batch_.Add(
              header.type, content,
              Id(header.first_object + static_cast<uint32_t>(index)));
        });
    (void)batch_.Finish();  // Compare does not fail.
    if (!visited) Lost(visited.error(), out);
  }

 private:
  void VerifySegments(const DecodedBlock& first, RunInFlight& out) {
    hasher_.Begin({first.objects.header.type, first.objects.sizes.front()});
    out.bytes = 0;
    const Result<Visit> status =
        StreamSegments(file_, out.run, first, decoder_, [&](ByteView piece) {
          const Status go_on = CheckStop(stop_);
          if (!go_on) return go_on;
          hasher_.Update(piece);
          out.bytes += piece.size();
          return Status{};
        });
    const ObjectId id = hasher_.Finish();
    if (status) {
      Compare(Id(first.objects.header.first_object), id);
    } else {
      Lost(status.error(), out);
    }
  }

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

  // Reports `error` for every object of the run that has not been checked yet.
  void Lost(const Error& error, RunInFlight& out) {
    const auto& rows = file_.table().rows;
    for (ObjectNumber number = rows[out.run.first].first_object +
                               static_cast<uint32_t>(out.attempts);
         number < rows[out.run.last].first_object; ++number) {
      Error damage = NewError(
          error.code == ErrorCode::kIo ? ErrorCode::kIo : ErrorCode::kCorrupt,
          "object {} cannot be read: {}", Id(number),
          MessageText{error.message});
      damage.path = file_.path();
      damage.offset = file_.block_offset(out.run.first);
      out.damages.push_back(std::move(damage));
      ++out.attempts;
    }
  }

  const FileBlocks& file_;
  const std::stop_token& stop_;
  RunInFlight* out_ = nullptr;  // of the current call of Verify
  ObjectHasher hasher_;
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
      PipelineThreads{ResolveThreads(run.threads), run.stop},
      [&] { return Worker(file, run.stop); },
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
      [&](RunInFlight& item, Worker& worker) -> Status {
        worker.Verify(item);
        return CheckStop(run.stop);
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
