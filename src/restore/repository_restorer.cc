// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "restore/repository_restorer.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/object_batch_checker.h"
#include "object/object_hasher.h"
#include "reader/content_size.h"
#include "reader/object_run.h"
#include "reader/peeled_refs.h"

namespace zpack {
namespace {

// A block that is larger than the window in the sink's form is not held as a
// whole. Most blocks of this library's writer are smaller.
constexpr uint64_t kMaxWindow = uint64_t{32} << 20;
constexpr uint64_t kMinWindow = uint64_t{2} << 20;
// With little memory: the memory of the program and of a block of this
// library's writer, and the share of the rest that is one window. Memory for
// four windows is needed: the candidates, the index of the largest candidate,
// and two blocks in the sink's form.
constexpr uint64_t kWithoutWindow = uint64_t{24} << 20;
constexpr uint64_t kWindowShare = 5;

// An object in the sink's form.
struct StoredObject {
  ObjectId id;
  PreparedObject prepared;
  size_t end = 0;  // end of its bytes in those of the block
};

// One of: the objects of a block in the sink's form; a block that is too large
// for that; an object in segments.
struct RunInFlight {
  BlockRun run;
  std::vector<StoredObject> objects;
  Bytes stored;  // of all objects
  bool large = false;
  // What was restored:
  uint64_t count = 0;
  uint64_t raw_bytes = 0;
};

// Checks the objects of blocks and converts them into the sink's form.
class Preparer {
 public:
  Preparer(const ArchiveFile& archive, const ObjectSink& sink,
           const RunOptions& run)
      : archive_(archive),
        stop_(run.stop),
        checker_(
            archive.header().object_format,
            [this](const ObjectId& expected, const ObjectId& actual) -> Status {
              if (actual == expected) return {};
              return std::unexpected(
                  HashMismatch(archive_.blocks(), run_, expected, actual));
            }),
        preparer_(sink.NewPreparer(RestoreWindow(run))) {}

  Preparer(const Preparer&) =
      delete;  // checker_ keeps a pointer to this object
  Preparer& operator=(const Preparer&) = delete;

  // Calls `take` with each object of `block`, after appending its stored form
  // to `stored`. The last objects may be checked after that. Counts objects and
  // bytes in `item`.
  Status Prepare(RunInFlight& item, const DecodedBlock& block, Bytes& stored,
                 const std::function<Status(const StoredObject&)>& take) {
    run_ = item.run;
    const format::BlockHeader& header = block.objects.header;
    const BlockLayout* const layout = block.layout();
    preparer_->Begin(header.type, layout == nullptr ? Resemblance::kNone
                                                    : Resemblance::kSome);
    const Status prepared = block.ForEachObject(
        archive_.blocks().max_kept(),
        [&](size_t index, ByteView content) -> Status {
          ZPACK_TRY(CheckStop(stop_));
          const auto at = static_cast<uint32_t>(index);
          const ObjectNumber number = header.first_object + at;
          StoredObject object{archive_.ids()[archive_.rank(number)], {}, 0};
          ZPACK_TRY(checker_.Add(header.type, content, object.id));
          const uint32_t like = layout == nullptr ? 0 : at - layout->bases[at];
          ZPACK_ASSIGN_OR_RETURN(object.prepared,
                                 preparer_->Prepare(content, like, stored));
          object.end = stored.size();
          ++item.count;
          item.raw_bytes += content.size();
          return take(object);
        });
    // Mismatches of earlier objects take precedence over a later error.
    ZPACK_TRY(checker_.Finish());
    return prepared;
  }

 private:
  const ArchiveFile& archive_;
  const std::stop_token& stop_;
  BlockRun run_;  // of the current call of Prepare
  ObjectBatchChecker checker_;
  std::unique_ptr<ObjectPreparer> preparer_;
};

class Worker {
 public:
  Worker(const ArchiveFile& archive, const ObjectSink& sink,
         const RunOptions& run)
      : archive_(archive),
        max_prepared_(RestoreWindow(run)),
        preparer_(archive, sink, run) {}

  Status Run(RunInFlight& item) {
    ZPACK_ASSIGN_OR_RETURN(DecodedBlock block,
                           decoder_.Decode(archive_.blocks(), item.run.first));
    if (IsSegmented(item.run, block)) {
      item.large = true;
      return {};
    }
    item.objects.reserve(block.objects.sizes.size());
    const Status prepared = preparer_.Prepare(
        item, block, item.stored, [&](const StoredObject& object) -> Status {
          item.objects.push_back(object);
          item.large = item.stored.size() > max_prepared_;
          return item.large ? TooLarge() : Status{};
        });
    if (!item.large) return prepared;
    // The consumer prepares the block again, one object at a time.
    item = {.run = item.run, .objects = {}, .stored = {}, .large = true};
    return {};
  }

 private:
  static Status TooLarge() {
    return MakeError(ErrorCode::kLimitExceeded, "a large block");
  }

  const ArchiveFile& archive_;
  uint64_t max_prepared_;
  BlockDecoder decoder_;
  Preparer preparer_;
};

// Adds the objects of a prepared block.
Status AddBlock(ObjectSink& sink, const RunInFlight& item) {
  size_t begin = 0;
  for (const StoredObject& object : item.objects) {
    ZPACK_TRY(
        sink.Add(object.id, object.prepared,
                 ByteView(item.stored).subspan(begin, object.end - begin)));
    begin = object.end;
  }
  return {};
}

// Decodes and adds blocks and objects that are too large to be prepared by a
// worker.
class LargeRunAdder {
 public:
  LargeRunAdder(const ArchiveFile& archive, const RunOptions& run,
                ObjectSink& sink)
      : archive_(archive), run_(run), sink_(sink) {}

  Status Add(RunInFlight& item) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock block,
                           decoder_.Decode(archive_.blocks(), item.run.first));
    return IsSegmented(item.run, block) ? AddObject(block, item)
                                        : AddObjects(block, item);
  }

 private:
  // Prepares and adds the objects of a block one by one.
  Status AddObjects(const DecodedBlock& block, RunInFlight& item) {
    Preparer preparer(archive_, sink_, run_);
    Bytes stored;
    return preparer.Prepare(
        item, block, stored, [&](const StoredObject& object) -> Status {
          ZPACK_TRY(sink_.Add(object.id, object.prepared, stored));
          stored.clear();
          return {};
        });
  }

  // Adds the object whose first segment is `first`.
  Status AddObject(const DecodedBlock& first, RunInFlight& item) {
    const ObjectInfo info{first.objects.header.type,
                          first.objects.sizes.front()};
    const ObjectNumber number = first.objects.header.first_object;
    const ObjectId expected = archive_.ids()[archive_.rank(number)];
    ObjectHasher hasher(archive_.header().object_format);
    hasher.Begin(info);
    ZPACK_TRY(sink_.Begin(expected, info));
    const Status streamed =
        StreamSegments(archive_.blocks(), item.run, first, decoder_,
                       [&](ByteView piece) -> Status {
                         hasher.Update(piece);
                         ZPACK_TRY(CheckStop(run_.stop));
                         return sink_.Append(piece);
                       });
    ZPACK_TRY(streamed);
    const ObjectId actual = hasher.Finish();
    if (actual != expected) {
      return std::unexpected(
          HashMismatch(archive_.blocks(), item.run, expected, actual));
    }
    item.count = 1;
    item.raw_bytes = info.size;
    return sink_.End();
  }

  const ArchiveFile& archive_;
  const RunOptions& run_;
  ObjectSink& sink_;
  BlockDecoder decoder_;
};

}  // namespace

uint64_t RestoreWindow(const RunOptions& run) {
  if (!run.memory) return kMaxWindow;
  const uint64_t left =
      *run.memory - std::min<uint64_t>(*run.memory, kWithoutWindow);
  return std::clamp(left / kWindowShare, kMinWindow, kMaxWindow);
}

Result<RestoreStats> RestoreArchive(const ArchiveFile& archive,
                                    const RunOptions& run, ObjectSink& sink) {
  RestoreStats stats;
  {
    const ProgressPhase phase(run.progress, Phase::kWritingObjects,
                              archive.ids().size(),
                              ContentSize(archive.blocks(), {}, run));
    size_t next = 0;
    const Status moved = RunOrderedPipeline<RunInFlight>(
        PipelineThreads{ResolveThreads(run.threads), run.stop},
        [&] { return Worker(archive, sink, run); },
        [&](RunInFlight& item) -> Result<bool> {
          if (next == archive.blocks().block_count()) return false;
          item.run = RunAt(archive.blocks(), next);
          next = item.run.last;
          return true;
        },
        [](RunInFlight& item, Worker& worker) { return worker.Run(item); },
        [&](RunInFlight& item) -> Status {
          ZPACK_TRY(item.large ? LargeRunAdder(archive, run, sink).Add(item)
                               : AddBlock(sink, item));
          stats.objects += item.count;
          stats.raw_bytes += item.raw_bytes;
          phase.Advance(item.count, item.raw_bytes);
          return {};
        });
    ZPACK_TRY(moved);
  }
  // Git would trust a wrong peeled value.
  ZPACK_ASSIGN_OR_RETURN(const auto wrong,
                         FindPeeledMismatches(archive, run.stop));
  if (!wrong.empty()) {
    return MakeError(ErrorCode::kCorrupt,
                     "peeled value of ref '{}' is wrong in '{}'",
                     wrong.front().ref, AtPath{archive.path()});
  }
  stats.refs = archive.refs().refs.size();
  ZPACK_ASSIGN_OR_RETURN(stats.pack_bytes, sink.Finish(archive.refs()));
  return stats;
}

}  // namespace zpack
