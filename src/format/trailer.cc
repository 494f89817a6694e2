// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/trailer.h"

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"

namespace zpack::format {

void EncodeBeforeHash(const Trailer& trailer, Bytes& out) {
  ByteWriter to(out);
  to.U32(kTrailerSignature);
  to.U32(0);  // reserved
  to.Raw(trailer.content_digest);
}

void Encode(const Trailer& trailer, Bytes& out) {
  EncodeBeforeHash(trailer, out);
  ByteWriter(out).Raw(trailer.file_hash);
}

Result<Trailer> DecodeTrailer(ByteView bytes) {
  ByteReader in(bytes);
  Trailer trailer;
  const uint32_t signature = in.U32();
  const uint32_t reserved = in.U32();
  const ByteView content_digest = in.Raw(kDigestSize);
  const ByteView file_hash = in.Raw(kDigestSize);
  if (!in.exhausted() || signature != kTrailerSignature || reserved != 0) {
    return MakeError(ErrorCode::kCorrupt, "bad trailer");
  }
  std::ranges::copy(content_digest, trailer.content_digest.begin());
  std::ranges::copy(file_hash, trailer.file_hash.begin());
  return trailer;
}

Digest ContentDigest(const ObjectIdTable& ids) {
  Hasher hasher(HashAlgorithm::kSha256);
  hasher.Update(ids.bytes());
  Digest digest;
  hasher.Finish(digest);
  return digest;
}

}  // namespace zpack::format
