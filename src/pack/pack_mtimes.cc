// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_mtimes.h"

#include "base/error.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

constexpr uint32_t kSignature = 0x4d544d45;  // "MTME"
constexpr size_t kMtimesHeaderSize = 3 * sizeof(uint32_t);

}  // namespace

Bytes EncodePackMtimes(ObjectFormat format,
                       const IndexedVector<PackRank, uint32_t>& mtimes,
                       ByteView pack_hash) {
  return EncodePackTable(format, kSignature, mtimes.raw(), pack_hash);
}

uint64_t PackMtimesSize(ObjectFormat format, uint32_t count) {
  return kMtimesHeaderSize + uint64_t{count} * 4 + 2 * ObjectIdWidth(format);
}

Result<IndexedVector<PackRank, uint32_t>> DecodePackMtimes(
    ObjectFormat format, ByteView bytes, uint32_t count,
    const std::string& path) {
  ByteReader in(bytes);
  if (bytes.size() != PackMtimesSize(format, count) || in.U32() != kSignature ||
      in.U32() != kPackTableVersion || in.U32() != PackTableHash(format)) {
    return MakeError(ErrorCode::kSourceCorrupt, "bad mtimes of a pack '{}'",
                     AtPath{path});
  }
  IndexedVector<PackRank, uint32_t> mtimes(count);
  for (uint32_t& mtime : mtimes) mtime = in.U32();
  return mtimes;
}

}  // namespace zpack
