// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/damaged_copies.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "object/object_batch_checker.h"
#include "object/object_hasher.h"
#include "pack/pack_lookup.h"
#include "pack/pack_reader.h"

namespace zpack {
namespace {

// If fewer than one of this many objects are read, each is looked up by itself:
// PackReader scans the whole pack first.
constexpr uint32_t kScannedPerRead = 32;
// Number of neighbouring objects of the pack that one thread reads together.
constexpr uint64_t kReadGrain = 512;
// Larger objects are left to PackLookup, which reads them in pieces.
constexpr uint64_t kMaxReadWhole = uint64_t{8} << 20;
// As of PackReader: larger deltas count as damaged, so that a damaged size
// costs no memory.
constexpr uint64_t kMaxDelta = uint64_t{512} << 20;

// Reads neighbouring objects, and collects the ids of those that PackLookup
// should look at.
class CopyReader {
 public:
  explicit CopyReader(PackReader& pack)
      : pack_(pack),
        batch_(pack.ids().format(),
               [this](const ObjectId& expected, const ObjectId& actual) {
                 if (actual != expected) Append(suspects_, expected.bytes());
                 return Status();
               }) {}

  Status Read(PackRank rank) {
    const ObjectInfo info = pack_.Info(rank);
    const ObjectId id = pack_.ids()[rank];
    if (info.size > kMaxReadWhole || !pack_.Read(rank, content_)) {
      Append(suspects_, id.bytes());
      return {};
    }
    return batch_.Add(info.type, content_, id);
  }

  Result<Bytes> Finish() {
    ZPACK_TRY(batch_.Finish());
    return std::move(suspects_);
  }

 private:
  PackReader& pack_;
  Bytes suspects_;
  ObjectBatchChecker batch_;
  Bytes content_;
};

// Returns those of `ids` that PackReader cannot read or does not read at once.
Result<ObjectIdTable> FindSuspects(FileSystem& file_system,
                                   const std::string& base_path,
                                   const ObjectIdTable& ids,
                                   const RunOptions& run) {
  const unsigned threads = ResolveThreads(run.threads);
  const auto reader =
      PackReader::Open(ids.format(), file_system, base_path,
                       std::make_shared<BaseCache>(
                           BaseCache::kLeastPerThread * threads, threads),
                       threads);
  if (!reader) return ids;
  PackReader& pack = **reader;
  std::vector<PackRank> order = pack.DeltaOrder();
  std::erase_if(order,
                [&](PackRank rank) { return !ids.Find(pack.ids()[rank]); });
  std::mutex mutex;  // guards `suspects`
  Bytes suspects;
  const auto read = [&](uint64_t begin, uint64_t end) -> Status {
    CopyReader copies(pack);
    for (uint64_t i = begin; i < end; ++i) {
      ZPACK_TRY(CheckStop(run.stop));
      ZPACK_TRY(copies.Read(order[i]));
    }
    ZPACK_ASSIGN_OR_RETURN(const Bytes some, copies.Finish());
    const std::scoped_lock lock(mutex);
    Append(suspects, some);
    return {};
  };
  ZPACK_TRY(ParallelFor(ThreadsToRead(pack, run), run.stop, order.size(),
                        kReadGrain, read));
  return ObjectIdTable::FromUnsorted(ids.format(), std::move(suspects));
}

}  // namespace

Result<ObjectIdTable> FindDamagedCopies(FileSystem& file_system,
                                        const std::string& base_path,
                                        const ObjectIdTable& ids,
                                        const RunOptions& run) {
  if (ids.size() == 0) return ids;
  auto index = ReadPackIndex(ids.format(), file_system, base_path + ".idx");
  auto file = file_system.OpenForRead(base_path + ".pack");
  if (!index || !file) return ids;
  const uint32_t objects = index->ids.size();
  const auto lookup =
      PackLookup::Create(*std::move(index), *std::move(file), kMaxDelta);
  if (!lookup) return ids;
  ObjectIdTable suspects = ids;
  if (ids.size() > objects / kScannedPerRead) {
    ZPACK_ASSIGN_OR_RETURN(suspects,
                           FindSuspects(file_system, base_path, ids, run));
  }
  ObjectHasher hasher(ids.format());
  Bytes damaged;
  for (uint32_t i = 0; i < suspects.size(); ++i) {
    ZPACK_TRY(CheckStop(run.stop));
    const ObjectId id = suspects[i];
    const auto rank = (*lookup)->ids().Find(id);
    if (rank) {
      const auto object = (*lookup)->OpenStream(*rank);
      if (object && hasher.Hash(**object) == id) continue;
    }
    Append(damaged, id.bytes());
  }
  return ObjectIdTable::FromSorted(ids.format(), std::move(damaged));
}

}  // namespace zpack
