// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/object_index.h"

#include "base/error.h"

namespace zpack::format {
namespace {

constexpr size_t kFanOutSize = 256 * sizeof(uint32_t);

}  // namespace

void EncodeObjectIds(const ObjectIdTable& ids, Bytes& out) {
  ByteWriter to(out);
  for (const uint32_t count : ids.fan_out()) to.U32(count);
  to.Raw(ids.bytes());
}

Result<ObjectIdTable> DecodeObjectIds(ByteView payload, ObjectFormat format,
                                      uint32_t object_count) {
  const uint64_t ids_size = uint64_t{object_count} * ObjectIdWidth(format);
  if (payload.size() < kFanOutSize ||
      payload.size() - kFanOutSize != ids_size) {
    return MakeError(ErrorCode::kCorrupt, "bad size of object index");
  }
  ByteReader in(payload);
  ObjectIdTable::FanOut fan_out;
  for (uint32_t& count : fan_out) count = in.U32();
  const ByteView ids = in.Raw(ids_size);
  ZPACK_ASSIGN_OR_RETURN(
      auto table,
      ObjectIdTable::FromSorted(format, Bytes(ids.begin(), ids.end())));
  if (table.fan_out() != fan_out) {
    return MakeError(ErrorCode::kCorrupt, "bad fan-out in object index");
  }
  return table;
}

void EncodeObjectNumbers(const std::vector<uint32_t>& numbers, Bytes& out) {
  ByteWriter to(out);
  for (const uint32_t number : numbers) to.U32(number);
}

Result<std::vector<uint32_t>> DecodeObjectNumbers(ByteView payload,
                                                  uint32_t object_count) {
  if (payload.size() != uint64_t{object_count} * sizeof(uint32_t)) {
    return MakeError(ErrorCode::kCorrupt, "bad size of object numbers");
  }
  std::vector<uint32_t> numbers(object_count);
  std::vector<bool> seen(object_count);
  ByteReader in(payload);
  for (uint32_t& number : numbers) {
    number = in.U32();
    if (number >= object_count || seen[number]) {
      return MakeError(ErrorCode::kCorrupt, "bad object number {}", number);
    }
    seen[number] = true;
  }
  return numbers;
}

std::vector<uint32_t> InversePermutation(
    const std::vector<uint32_t>& permutation) {
  std::vector<uint32_t> inverse(permutation.size());
  for (uint32_t i = 0; i < permutation.size(); ++i) {
    inverse[permutation[i]] = i;
  }
  return inverse;
}

}  // namespace zpack::format
