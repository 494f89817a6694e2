// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/read_back.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/object_batch_checker.h"
#include "object/object_hasher.h"
#include "pack/pack_format.h"
#include "pack/pack_index.h"
#include "pack/pack_reader.h"

namespace zpack {
namespace {

// Number of neighbouring objects of the pack that one thread reads together.
constexpr uint64_t kVerifyGrain = 128;
// Larger objects are read back in pieces where that is possible.
constexpr uint64_t kMaxHashedWhole = uint64_t{8} << 20;

// Compares objects of a pack with the ids that they should have.
class ObjectChecker {
 public:
  ObjectChecker(PackReader& pack, const PackIds& expected)
      : pack_(pack),
        expected_(expected),
        hasher_(expected.format()),
        batch_(expected.format(), Compare) {}

  Status Check(PackRank rank) {
    const ObjectInfo info = pack_.Info(rank);
    if (info.size > kMaxHashedWhole && pack_.IsWhole(rank)) {
      ZPACK_ASSIGN_OR_RETURN(const auto stream, pack_.OpenStream(rank));
      ZPACK_ASSIGN_OR_RETURN(const ObjectId id, hasher_.Hash(*stream));
      return Compare(expected_[rank], id);
    }
    ZPACK_TRY(pack_.Read(rank, content_));
    return batch_.Add(info.type, content_, expected_[rank]);
  }

  // Compares the objects that are waiting.
  Status Finish() { return batch_.Finish(); }

 private:
  static Status Compare(const ObjectId& expected, const ObjectId& actual) {
    if (actual == expected) return {};
    return MakeError(ErrorCode::kMismatch, "object {} reads back as {}",
                     expected, actual);
  }

  PackReader& pack_;
  const PackIds& expected_;
  ObjectHasher hasher_;
  ObjectBatchChecker batch_;
  Bytes content_;
};

// Readers accept other versions as well, which would be damage here.
Status CheckVersion(const RandomAccessFile& pack) {
  std::array<uint8_t, kPackHeaderSize> header;
  ZPACK_TRY(pack.Read(0, header));
  ByteReader in(header);
  if (in.U32() == kPackSignature && in.U32() == kPackVersion) return {};
  return MakeError(ErrorCode::kMismatch,
                   "the pack read back is of another version");
}

}  // namespace

Status VerifyPack(const std::string& pack, const std::string& index_path,
                  const PackIds& expected, const RunOptions& run,
                  FileSystem& file_system) {
  ZPACK_ASSIGN_OR_RETURN(
      PackIndex index,
      ReadPackIndex(expected.format(), file_system, index_path));
  ZPACK_ASSIGN_OR_RETURN(auto file, file_system.OpenForRead(pack));
  ZPACK_TRY(CheckVersion(*file));
  const unsigned threads = ResolveThreads(run.threads);
  ZPACK_ASSIGN_OR_RETURN(
      const auto reader,
      PackReader::Create(std::move(index), std::move(file),
                         std::make_shared<BaseCache>(
                             BaseCache::kLeastPerThread * threads, threads),
                         threads));
  if (!(reader->ids() == expected)) {
    return MakeError(ErrorCode::kMismatch,
                     "the pack read back has other objects than were written");
  }
  const std::vector<PackRank> order = reader->DeltaOrder();
  uint64_t total_bytes = 0;
  for (const PackRank rank : order) total_bytes += reader->Info(rank).size;
  const ProgressPhase phase(run.progress, Phase::kVerifyingObjects,
                            order.size(), total_bytes);
  return ParallelFor(ThreadsToRead(*reader, run), run.stop, order.size(),
                     kVerifyGrain, [&](uint64_t begin, uint64_t end) -> Status {
                       ObjectChecker objects(*reader, expected);
                       uint64_t hashed = 0;
                       for (uint64_t i = begin; i < end; ++i) {
                         ZPACK_TRY(CheckStop(run.stop));
                         const PackRank rank = order[i];
                         ZPACK_TRY(reader->Check(rank));
                         ZPACK_TRY(objects.Check(rank));
                         hashed += reader->Info(rank).size;
                       }
                       ZPACK_TRY(objects.Finish());
                       phase.Advance(end - begin, hashed);
                       return {};
                     });
}

}  // namespace zpack
