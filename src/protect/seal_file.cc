// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/seal_file.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/error.h"
#include "base/hash.h"
#include "format/constants.h"
#include "format/file_header.h"
#include "parity/covered_data.h"

namespace zpack {
namespace {

Status ForEachPart(const RandomAccessFile& file, uint64_t begin, uint64_t end,
                   const RunOptions& run,
                   const std::function<void(ByteView)>& visit) {
  constexpr uint64_t kPart = uint64_t{1} << 20;
  Bytes bytes;
  for (uint64_t at = begin; at < end; at += bytes.size()) {
    ZPACK_TRY(CheckStop(run.stop));
    bytes.resize(std::min(kPart, end - at));
    ZPACK_TRY(file.Read(at, bytes));
    visit(bytes);
  }
  return {};
}

}  // namespace

Status SealFile(const RandomAccessFile& file, const ParityShape& shape,
                const RunOptions& run, ImageFile& image) {
  static_assert(kAfterSet == format::kChecksumSize);
  static_assert(kUncoveredEnd == format::kDigestSize);
  const uint64_t checksum_at = shape.gap + shape.set_size();
  const uint64_t chunk =
      shape.gap - std::min<uint64_t>(shape.gap, format::kChunkHeaderSize);
  ChecksumHasher checksum;
  ZPACK_TRY(ForEachPart(file, chunk, checksum_at, run,
                        [&](ByteView bytes) { checksum.Update(bytes); }));
  Bytes bytes;
  ByteWriter(bytes).U64(checksum.Value());
  ZPACK_TRY(image.Put(checksum_at, bytes));

  const uint64_t hash_at = CoveredFileSize(shape) - format::kDigestSize;
  Bytes start(std::min<uint64_t>(hash_at, format::kFixedHeaderSize));
  ZPACK_TRY(file.Read(0, start));
  ZPACK_ASSIGN_OR_RETURN(const size_t header, format::DecodeHeaderSize(start));
  if (header > hash_at) {
    return MakeError(ErrorCode::kCorrupt, "bad size of header");
  }
  Hasher hasher(HashAlgorithm::kSha256);
  const auto update = [&](ByteView part) { hasher.Update(part); };
  ZPACK_TRY(ForEachPart(file, header, hash_at, run, update));
  ZPACK_TRY(ForEachPart(file, 0, header, run, update));
  std::array<uint8_t, Hasher::kMaxSize> hash;
  return image.Put(hash_at, hasher.Finish(hash));
}

}  // namespace zpack
