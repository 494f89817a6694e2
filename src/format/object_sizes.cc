// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/object_sizes.h"

#include "base/error.h"

namespace zpack::format {

void EncodeObjectSizes(std::span<const uint64_t> sizes, Bytes& out) {
  ByteWriter to(out);
  for (const uint64_t size : sizes) to.Varint(size);
}

Result<std::vector<uint64_t>> DecodeObjectSizes(ByteView stream,
                                                uint32_t count) {
  std::vector<uint64_t> sizes;
  ByteReader in(stream);
  in.Count(count, 1);
  if (in.ok()) sizes.reserve(count);
  for (uint32_t i = 0; in.ok() && i < count; ++i) sizes.push_back(in.Varint());
  if (!in.exhausted()) {
    return MakeError(ErrorCode::kCorrupt, "bad object sizes");
  }
  return sizes;
}

Result<std::vector<uint64_t>> ObjectOffsets(std::span<const uint64_t> sizes,
                                            uint64_t total) {
  std::vector<uint64_t> offsets = {0};
  offsets.reserve(sizes.size() + 1);
  for (const uint64_t size : sizes) {
    if (size > total - offsets.back()) break;
    offsets.push_back(offsets.back() + size);
  }
  if (offsets.size() != sizes.size() + 1 || offsets.back() != total) {
    return MakeError(ErrorCode::kCorrupt, "object sizes do not fit contents");
  }
  return offsets;
}

}  // namespace zpack::format
