// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "restore/repository_restorer.h"

#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/object_hasher.h"
#include "reader/object_run.h"
#include "reader/peeled_refs.h"

namespace zpack {
namespace {

// A block whose objects hold more content than this is not held whole in the
// sink's form. Blocks of this library's own writer are smaller.
constexpr uint64_t kMaxPrepared = uint64_t{256} << 20;

// The objects of one block in the sink's form, or a block that is too large
// for that, or the start of an object in segments.
struct RunInFlight {
  BlockRun run;
  std::vector<ObjectId> ids;
  std::vector<size_t> ends;  // of each object in `prepared`
  Bytes prepared;
  std::optional<DecodedBlock> large;
  uint64_t raw_bytes = 0;
};

std::unexpected<Error> HashMismatch(const PackFile& pack, const BlockRun& run,
                                    const ObjectId& expected,
                                    const ObjectId& actual) {
  return MakeError(ErrorCode::kMismatch,
                   "object {} hashes to {} in block {} at offset {} of '{}'",
                   expected.ToHex(), actual.ToHex(), run.first,
                   pack.block_offset(run.first), pack.path());
}

// Checks objects and brings them into the sink's form.
class Preparer {
 public:
  Preparer(const PackFile& pack, const ObjectSink& sink)
      : pack_(pack),
        hasher_(pack.header().object_format),
        preparer_(sink.NewPreparer()) {}

  // Appends object `index` of `block` to `out` and returns its id.
  Result<ObjectId> Prepare(const BlockRun& run, const DecodedBlock& block,
                           size_t index, ByteView content, Bytes& out) {
    const auto& header = block.objects.header;
    const uint32_t number = header.first_object + static_cast<uint32_t>(index);
    const ObjectId expected = pack_.ids()[pack_.rank(number)];
    const ObjectId actual = hasher_.Hash(header.type, content);
    if (actual != expected) return HashMismatch(pack_, run, expected, actual);
    ZPACK_TRY(preparer_->Prepare(header.type, content, out));
    return expected;
  }

 private:
  const PackFile& pack_;
  ObjectHasher hasher_;
  std::unique_ptr<ObjectPreparer> preparer_;
};

class Worker {
 public:
  Worker(const PackFile& pack, const ObjectSink& sink)
      : pack_(pack), preparer_(pack, sink) {}

  Status Run(RunInFlight& item) {
    ZPACK_ASSIGN_OR_RETURN(DecodedBlock block,
                           decoder_.Decode(pack_, item.run.first));
    const auto& sizes = block.objects.sizes;
    if (IsSegmented(item.run, block) ||
        std::reduce(sizes.begin(), sizes.end(), uint64_t{0}) > kMaxPrepared) {
      item.large = std::move(block);
      return {};
    }
    return block.ForEachObject(pack_.options().max_block_size,
                               [&](size_t index, ByteView content) -> Status {
                                 ZPACK_ASSIGN_OR_RETURN(
                                     const ObjectId id,
                                     preparer_.Prepare(item.run, block, index,
                                                       content, item.prepared));
                                 item.ids.push_back(id);
                                 item.ends.push_back(item.prepared.size());
                                 item.raw_bytes += content.size();
                                 return {};
                               });
  }

 private:
  const PackFile& pack_;
  BlockDecoder decoder_;
  Preparer preparer_;
};

// Adds the objects of a block one by one. Sets `item.ids` and `raw_bytes`.
Status AddLargeBlock(const PackFile& pack, const RunOptions& run,
                     ObjectSink& sink, RunInFlight& item) {
  Preparer preparer(pack, sink);
  Bytes prepared;
  return item.large->ForEachObject(
      pack.options().max_block_size,
      [&](size_t index, ByteView content) -> Status {
        ZPACK_TRY(CheckStop(run.stop));
        prepared.clear();
        ZPACK_ASSIGN_OR_RETURN(
            const ObjectId id,
            preparer.Prepare(item.run, *item.large, index, content, prepared));
        ZPACK_TRY(sink.Add(id, prepared));
        item.ids.push_back(id);
        item.raw_bytes += content.size();
        return {};
      });
}

Status AddLargeObject(const PackFile& pack, const RunInFlight& item,
                      const RunOptions& run, ObjectSink& sink, uint64_t& size) {
  const ObjectInfo info{item.large->objects.header.type,
                        item.large->objects.sizes.front()};
  const uint32_t number = item.large->objects.header.first_object;
  const ObjectId expected = pack.ids()[pack.rank(number)];
  ObjectHasher hasher(pack.header().object_format);
  hasher.Begin(info);
  BlockDecoder decoder;
  ZPACK_TRY(sink.Begin(expected, info));
  const Status streamed = StreamSegments(pack, item.run, *item.large, decoder,
                                         [&](ByteView piece) -> Status {
                                           hasher.Update(piece);
                                           ZPACK_TRY(CheckStop(run.stop));
                                           return sink.Append(piece);
                                         });
  ZPACK_TRY(streamed);
  const ObjectId actual = hasher.Finish();
  if (actual != expected) {
    return HashMismatch(pack, item.run, expected, actual);
  }
  size = info.size;
  return sink.End();
}

}  // namespace

Result<RestoreStats> RestorePack(const PackFile& pack, const RunOptions& run,
                                 ObjectSink& sink) {
  RestoreStats stats;
  {
    const ProgressPhase phase(run.progress, "Writing objects",
                              pack.ids().size(), 0);
    size_t next = 0;
    const Status moved = RunOrderedPipeline<RunInFlight>(
        ResolveThreads(run.threads), run.stop,
        [&] { return Worker(pack, sink); },
        [&](RunInFlight& item) -> Result<bool> {
          if (next == pack.blocks().block_count()) return false;
          item.run = RunAt(pack, next);
          next = item.run.last;
          return true;
        },
        [](RunInFlight& item, Worker& worker) { return worker.Run(item); },
        [&](RunInFlight& item) -> Status {
          if (item.large && !IsSegmented(item.run, *item.large)) {
            ZPACK_TRY(AddLargeBlock(pack, run, sink, item));
          } else if (item.large) {
            ZPACK_TRY(AddLargeObject(pack, item, run, sink, item.raw_bytes));
            item.ids.resize(1);
          } else {
            size_t begin = 0;
            for (size_t i = 0; i < item.ids.size(); ++i) {
              ZPACK_TRY(sink.Add(item.ids[i],
                                 ByteView(item.prepared)
                                     .subspan(begin, item.ends[i] - begin)));
              begin = item.ends[i];
            }
          }
          stats.objects += item.ids.size();
          stats.raw_bytes += item.raw_bytes;
          phase.Advance(item.ids.size(), item.raw_bytes);
          return {};
        });
    ZPACK_TRY(moved);
  }
  // Git would believe a wrong peeled value without looking.
  ZPACK_ASSIGN_OR_RETURN(const auto wrong, FindPeeledMismatches(pack));
  if (!wrong.empty()) {
    return MakeError(ErrorCode::kCorrupt,
                     "peeled value of ref '{}' is wrong in '{}'",
                     wrong.front().ref, pack.path());
  }
  stats.refs = pack.refs().refs.size();
  ZPACK_ASSIGN_OR_RETURN(stats.pack_bytes, sink.Finish(pack.refs()));
  return stats;
}

}  // namespace zpack
