// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The two chunks of an object index as the bytes of a file.

#pragma once

#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "format/object_index.h"

namespace zpack::testing {

struct IndexFile {
  Bytes bytes;
  format::IndexChunks chunks;
};

inline IndexFile MakeIndexFile(
    const ObjectIdTable& ids,
    const IndexedVector<FileRank, ObjectNumber>& numbers) {
  IndexFile file;
  const auto add = [&](uint32_t id, const Bytes& payload) {
    const uint64_t offset = file.bytes.size();
    format::EncodeChunk(id, format::kChunkRequired, payload, file.bytes);
    return format::ChunkLocation{id, format::kChunkRequired, offset,
                                 payload.size()};
  };
  Bytes payload;
  format::EncodeObjectIds(ids, payload);
  file.chunks.ids = add(format::kObjectIdsChunk, payload);
  payload.clear();
  format::EncodeObjectNumbers(numbers, payload);
  file.chunks.numbers = add(format::kObjectNumbersChunk, payload);
  return file;
}

// `count` random ids, always the same.
inline FileIds RandomIds(ObjectFormat format, uint32_t count) {
  std::mt19937_64 random(count);
  Bytes ids(size_t{count} * ObjectIdWidth(format));
  for (uint8_t& byte : ids) byte = static_cast<uint8_t>(random());
  return *ObjectIdTable::FromUnsorted(format, std::move(ids));
}

// A permutation of 0 ... count - 1 that is not in order.
inline IndexedVector<FileRank, ObjectNumber> SomeNumbers(uint32_t count) {
  std::vector<ObjectNumber> numbers;
  for (uint32_t i = count; i-- > 0;) numbers.push_back(ObjectNumber(i));
  for (uint32_t i = 2; i < count; i += 3) std::swap(numbers[i], numbers[i / 2]);
  return IndexedVector<FileRank, ObjectNumber>(std::move(numbers));
}

}  // namespace zpack::testing
