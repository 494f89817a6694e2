// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Header. What decodes must encode to the same meaning.

#include <cstdlib>

#include "base/hash.h"
#include "format/file_header.h"
#include "fuzz/fuzz_target.h"

using zpack::Bytes;
using zpack::ByteView;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace format = zpack::format;
  Bytes bytes(data, data + size);
  (void)format::DecodeFileHeader(bytes, format::KnownFeatures());
  // Most inputs fail at the checksum; give them a right one and go deeper.
  if (size < format::kChecksumSize) return 0;
  bytes.resize(size - format::kChecksumSize);
  const uint64_t checksum = zpack::Checksum(bytes);
  zpack::ByteWriter(bytes).U64(checksum);
  const auto header = format::DecodeFileHeader(bytes, format::KnownFeatures());
  if (!header) return 0;
  Bytes again;
  format::Encode(*header, again);
  const auto second = format::DecodeFileHeader(again, format::KnownFeatures());
  if (!second || second->file_size != header->file_size) std::abort();
  return 0;
}
