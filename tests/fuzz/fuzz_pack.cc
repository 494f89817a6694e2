// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Stock packs: the size of an index in two bytes, the index, and the pack. If
// the first bit is set, ids are SHA-256. All objects are read.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "fuzz/fuzz_target.h"
#include "pack/pack_reader.h"
#include "support/memory_file.h"

namespace {

using namespace zpack;

// A few bytes can ask for an object of any size.
constexpr uint64_t kMaxObject = 1 << 16;
constexpr uint16_t kIsSha256 = 0x8000;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ByteReader in(ByteView(data, size));
  const uint16_t start = in.U16();
  const ObjectFormat format =
      (start & kIsSha256) != 0 ? ObjectFormat::kSha256 : ObjectFormat::kSha1;
  const auto index_size = static_cast<uint16_t>(start & ~kIsSha256);
  const ByteView index_bytes =
      in.Raw(std::min<size_t>(index_size, in.remaining()));
  const ByteView pack = in.Raw(in.remaining());
  auto index =
      ReadPackIndex(format, zpack::testing::MemoryFile(
                                Bytes(index_bytes.begin(), index_bytes.end())));
  if (!index) return 0;
  const auto reader = PackReader::Create(
      *std::move(index), std::make_unique<zpack::testing::MemoryFile>(
                             Bytes(pack.begin(), pack.end())));
  if (!reader) return 0;
  const auto ranks = (*reader)->ids().ranks();
  for (const PackRank rank : ranks) {
    if ((*reader)->Info(rank).size > kMaxObject) return 0;
  }
  Bytes content;
  for (const PackRank rank : ranks) {
    if ((*reader)->Read(rank, content) &&
        content.size() != (*reader)->Info(rank).size) {
      std::abort();
    }
  }
  return 0;
}
