// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/object_batch_hasher.h"
#include "object/object_hasher.h"
#include "reader/content_size.h"
#include "reader/object_run.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

struct RunInFlight {
  BlockRun run;
  std::vector<Damage> damages;
  uint64_t objects = 0;   // that are intact
  uint64_t attempts = 0;  // intact or not
  uint64_t bytes = 0;
};

class Worker {
 public:
  Worker(const FileBlocks& file, const std::stop_token& stop)
      : file_(file),
        stop_(stop),
        hasher_(file.object_format()),
        batch_(file.object_format()) {}

  // Damage goes into `out`.
  void Verify(RunInFlight& out) {
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
        file_.max_kept(), [&](size_t, ByteView content) -> Status {
          ZPACK_TRY(CheckStop(stop_));
          out.bytes += content.size();
          batch_.Add(header.type, content);
          if (batch_.full()) CheckBatch(header.first_object, out);
          return {};
        });
    CheckBatch(header.first_object, out);
    if (!visited) Lost(visited.error(), out);
  }

 private:
  void VerifySegments(const DecodedBlock& first, RunInFlight& out) {
    hasher_.Begin({first.objects.header.type, first.objects.sizes.front()});
    out.bytes = 0;
    const Status status =
        StreamSegments(file_, out.run, first, decoder_, [&](ByteView piece) {
          const Status go_on = CheckStop(stop_);
          if (!go_on) return go_on;
          hasher_.Update(piece);
          out.bytes += piece.size();
          return Status{};
        });
    const ObjectId id = hasher_.Finish();
    if (status) {
      Check(first.objects.header.first_object, id, out);
    } else {
      Lost(status.error(), out);
    }
  }

  // Checks what was added, which follows what was looked at of the block that
  // begins with object `first`.
  void CheckBatch(ObjectNumber first, RunInFlight& out) {
    for (const ObjectId& id : batch_.Finish()) {
      Check(first + static_cast<uint32_t>(out.attempts), id, out);
    }
  }

  void Check(ObjectNumber number, const ObjectId& actual, RunInFlight& out) {
    const ObjectId expected = file_.ids()[file_.rank(number)];
    ++out.attempts;
    if (actual == expected) {
      ++out.objects;
      return;
    }
    const uint64_t offset = file_.block_offset(out.run.first);
    out.damages.push_back(
        {FormatMessage(
             "object {} hashes to {} in block {} at offset {} of '{}'",
             expected.ToHex(), actual.ToHex(), out.run.first, offset,
             file_.path()),
         expected, offset});
  }

  // Every object of the run that was not looked at yet is lost to `error`.
  void Lost(const Error& error, RunInFlight& out) {
    const auto& rows = file_.table().rows;
    const IndexRange rest(
        rows[out.run.first].first_object + static_cast<uint32_t>(out.attempts),
        rows[out.run.last].first_object);
    for (const ObjectNumber number : rest) {
      const ObjectId id = file_.ids()[file_.rank(number)];
      out.damages.push_back(
          {FormatMessage("object {} cannot be read: {}", id.ToHex(),
                         MessageText{error.message}),
           id, file_.block_offset(out.run.first),
           error.code == ErrorCode::kIo ? ErrorCode::kIo
                                        : ErrorCode::kCorrupt});
      ++out.attempts;
    }
  }

  const FileBlocks& file_;
  const std::stop_token& stop_;
  ObjectHasher hasher_;
  ObjectBatchHasher batch_;
  BlockDecoder decoder_;
};

}  // namespace

Status VerifyObjects(const FileBlocks& file, const std::vector<bool>& trusted,
                     const RunOptions& run, VerifyReport& report) {
  const ProgressPhase phase(run.progress, "Verifying objects",
                            file.ids().size(), ContentSize(file, trusted, run));
  size_t next = 0;
  return RunOrderedPipeline<RunInFlight>(
      ResolveThreads(run.threads), run.stop,
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
        report.bytes_verified += item.bytes;
        std::ranges::move(item.damages, std::back_inserter(report.damages));
        phase.Advance(item.attempts, item.bytes);
        return {};
      });
}

}  // namespace zpack
