// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The last bytes of a file (FORMAT.md, "Trailer"). Pure.

#pragma once

#include <array>

#include "base/bytes.h"
#include "format/constants.h"
#include "object/object_id_table.h"
#include "zpack/result.h"

namespace zpack::format {

using Digest = std::array<uint8_t, kDigestSize>;

struct Trailer {
  // SHA-256 of the sorted ids. Files with the same objects have the same
  // digest.
  Digest content_digest{};
  // SHA-256 of every byte of the file before this field, from the end of the
  // header on, followed by the header. The header is hashed last because it
  // holds offsets that are known only at the end, and the file is hashed while
  // it is written.
  Digest file_hash{};
};

// Encodes the part of the trailer that the file hash covers.
void EncodeBeforeHash(const Trailer& trailer, Bytes& out);
void Encode(const Trailer& trailer, Bytes& out);
// kCorrupt unless `bytes` is exactly one trailer.
Result<Trailer> DecodeTrailer(ByteView bytes);

Digest ContentDigest(const ObjectIdTable& ids);

}  // namespace zpack::format
