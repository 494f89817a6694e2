// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_mtimes.h"

#include "base/error.h"
#include "pack/pack_format.h"
#include "zpack/object_id.h"

namespace zpack {
namespace {

constexpr uint32_t kSignature = 0x4d544d45;  // "MTME"
constexpr size_t kMtimesHeaderSize = 3 * sizeof(uint32_t);

}  // namespace

Bytes EncodePackMtimes(const IndexedVector<PackRank, uint32_t>& mtimes,
                       ByteView pack_hash) {
  return EncodePackTable(kSignature, mtimes.raw(), pack_hash);
}

Result<IndexedVector<PackRank, uint32_t>> DecodePackMtimes(
    ByteView bytes, uint32_t count, const std::string& path) {
  constexpr uint64_t kHashes = 2 * ObjectIdWidth(ObjectFormat::kSha1);
  ByteReader in(bytes);
  if (bytes.size() != kMtimesHeaderSize + uint64_t{count} * 4 + kHashes ||
      in.U32() != kSignature || in.U32() != kPackTableVersion ||
      in.U32() != kPackTableSha1) {
    return MakeError(ErrorCode::kSourceCorrupt, "bad mtimes of a pack '{}'",
                     AtPath{path});
  }
  IndexedVector<PackRank, uint32_t> mtimes(count);
  for (uint32_t& mtime : mtimes) mtime = in.U32();
  return mtimes;
}

}  // namespace zpack
