// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_format.h"

#include <array>

#include "base/hash.h"

namespace zpack {

Bytes EncodePackTable(uint32_t signature, const std::vector<uint32_t>& numbers,
                      ByteView pack_hash) {
  Bytes table;
  ByteWriter to(table);
  to.U32(signature);
  to.U32(kPackTableVersion);
  to.U32(kPackTableSha1);
  for (const uint32_t number : numbers) to.U32(number);
  to.Raw(pack_hash);
  AppendSha1(table);
  return table;
}

void AppendSha1(Bytes& bytes) {
  Hasher hasher(HashAlgorithm::kSha1);
  hasher.Update(bytes);
  std::array<uint8_t, Hasher::kMaxSize> storage;
  Append(bytes, hasher.Finish(storage));
}

}  // namespace zpack
