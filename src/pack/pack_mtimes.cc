// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_mtimes.h"

#include "base/error.h"
#include "pack/pack_format.h"
#include "zpack/object_id.h"

namespace zpack {
namespace {

constexpr uint32_t kSignature = 0x4d544d45;  // "MTME"
constexpr uint32_t kVersion = 1;
constexpr uint32_t kSha1 = 1;
constexpr size_t kHeaderSize = 3 * sizeof(uint32_t);

}  // namespace

Bytes EncodePackMtimes(const std::vector<uint32_t>& mtimes,
                       ByteView pack_hash) {
  Bytes out;
  ByteWriter to(out);
  to.U32(kSignature);
  to.U32(kVersion);
  to.U32(kSha1);
  for (const uint32_t mtime : mtimes) to.U32(mtime);
  to.Raw(pack_hash);
  AppendSha1(out);
  return out;
}

Result<std::vector<uint32_t>> DecodePackMtimes(ByteView bytes, uint32_t count,
                                               const std::string& path) {
  constexpr uint64_t kHashes = 2 * ObjectIdWidth(ObjectFormat::kSha1);
  ByteReader in(bytes);
  if (bytes.size() != kHeaderSize + uint64_t{count} * 4 + kHashes ||
      in.U32() != kSignature || in.U32() != kVersion || in.U32() != kSha1) {
    return MakeError(ErrorCode::kSourceCorrupt, "bad mtimes of a pack '{}'",
                     path);
  }
  std::vector<uint32_t> mtimes(count);
  for (uint32_t& mtime : mtimes) mtime = in.U32();
  return mtimes;
}

}  // namespace zpack
