// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/read_back.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/object_hasher.h"
#include "pack/pack_index.h"
#include "pack/stock_pack_reader.h"

namespace zpack {
namespace {

// Objects that one thread reads back at a time, neighbours in the pack.
constexpr uint64_t kVerifyGrain = 4096;
// Larger objects are read back in pieces where that is possible.
constexpr uint64_t kMaxHashedWhole = uint64_t{8} << 20;

// The id that an object of a pack hashes to. `content` is a buffer to use.
Result<ObjectId> HashObject(StockPackReader& pack, uint32_t rank,
                            ObjectHasher& hasher, Bytes& content) {
  const ObjectInfo info = pack.Info(rank);
  if (info.size <= kMaxHashedWhole || !pack.IsWhole(rank)) {
    ZPACK_TRY(pack.Read(rank, content));
    return hasher.Hash(info.type, content);
  }
  ZPACK_ASSIGN_OR_RETURN(const auto stream, pack.OpenStream(rank));
  return hasher.Hash(*stream);
}

}  // namespace

Status VerifyStockPack(const StockPackWriter& writer,
                       const ObjectIdTable& expected, const RunOptions& run,
                       FileSystem& file_system) {
  ZPACK_ASSIGN_OR_RETURN(PackIndex index,
                         ReadPackIndex(file_system, writer.temporary_index()));
  ZPACK_ASSIGN_OR_RETURN(auto file,
                         file_system.OpenForRead(writer.temporary_pack()));
  ZPACK_ASSIGN_OR_RETURN(
      const auto reader,
      StockPackReader::Create(std::move(index), std::move(file)));
  if (!(reader->ids() == expected)) {
    return MakeError(ErrorCode::kMismatch,
                     "the pack read back has other objects than were written");
  }
  const std::vector<uint32_t> order = reader->DeltaOrder();
  uint64_t total_bytes = 0;
  for (const uint32_t rank : order) total_bytes += reader->Info(rank).size;
  const ProgressPhase phase(run.progress, "Verifying objects", order.size(),
                            total_bytes);
  return ParallelFor(
      ResolveThreads(run.threads), run.stop, order.size(), kVerifyGrain,
      [&](uint64_t begin, uint64_t end) -> Status {
        ObjectHasher hasher(expected.format());
        Bytes content;
        uint64_t hashed = 0;
        for (uint64_t i = begin; i < end; ++i) {
          ZPACK_TRY(CheckStop(run.stop));
          const uint32_t rank = order[i];
          ZPACK_TRY(reader->Check(rank));
          ZPACK_ASSIGN_OR_RETURN(const ObjectId id,
                                 HashObject(*reader, rank, hasher, content));
          if (id != expected[rank]) {
            return MakeError(ErrorCode::kMismatch, "object {} reads back as {}",
                             expected[rank].ToHex(), id.ToHex());
          }
          hashed += reader->Info(rank).size;
        }
        phase.Advance(end - begin, hashed);
        return {};
      });
}

}  // namespace zpack
