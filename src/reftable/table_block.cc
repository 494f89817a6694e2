// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/table_block.h"

#include <algorithm>

#include "base/check.h"
#include "base/offset_varint.h"

namespace zpack::reftable {
namespace {

constexpr size_t kRestartSize = 3;
constexpr size_t kCountSize = 2;
constexpr size_t kMaxRestarts = 65535;
// The value type takes the lowest bits of a suffix's size.
constexpr unsigned kTypeBits = 3;

}  // namespace

std::string_view BlockCursor::Open(ByteView bytes, size_t first_record) {
  records_ = ByteReader({});
  if (bytes.size() < first_record + kRestartSize + kCountSize) {
    return "a block is too short";
  }
  const ByteView body = bytes.first(bytes.size() - kCountSize);
  const size_t count = LoadBigEndian<uint16_t>(body.data() + body.size());
  if (count == 0 || count > (body.size() - first_record) / kRestartSize) {
    return "a block has a wrong number of restarts";
  }
  restarts_ = body.last(count * kRestartSize);
  next_restart_ = 0;
  records_ = ByteReader(body.first(body.size() - restarts_.size()));
  records_.Raw(first_record);
  if (at_end()) return "a block without records";
  if (Restart(0) != first_record) return "the first restart is wrong";
  return {};
}

size_t BlockCursor::Restart(size_t index) const {
  ByteReader in(restarts_.subspan(index * kRestartSize, kRestartSize));
  return ReadU24(in);
}

bool BlockCursor::IsRestart() {
  if (next_restart_ == restarts_.size() / kRestartSize ||
      Restart(next_restart_) != position()) {
    return false;
  }
  ++next_restart_;
  return true;
}

std::string_view BlockCursor::ReadKey(std::string& key, unsigned& type) {
  const bool restart = IsRestart();
  const auto prefix = ReadOffsetVarint(records_);
  const auto suffix = ReadOffsetVarint(records_);
  if (!prefix || !suffix) return "a record is cut off";
  if (*prefix > key.size() || (restart && *prefix != 0)) {
    return "a record has a wrong prefix";
  }
  type = static_cast<unsigned>(*suffix & ((1U << kTypeBits) - 1));
  const std::string_view end = AsText(records_.Raw(*suffix >> kTypeBits));
  if (!records_.ok()) return "a record is cut off";
  if (end <= std::string_view(key).substr(*prefix)) {
    return "records are not in order";
  }
  key.resize(*prefix);
  key += end;
  return {};
}

std::string_view BlockCursor::Finish() const {
  return next_restart_ == restarts_.size() / kRestartSize
             ? ""
             : "a restart is not at a record";
}

void BlockBuilder::Start(BlockType type, ByteView front) {
  front_ = front.size();
  bytes_.assign(front.begin(), front.end());
  bytes_.resize(front_ + kBlockHeaderSize, 0);
  bytes_[front_] = static_cast<uint8_t>(type);
  restarts_.clear();
  last_key_.clear();
  count_ = 0;
}

bool BlockBuilder::Add(std::string_view key, unsigned type, ByteView value,
                       size_t limit) {
  const size_t old_size = bytes_.size();
  const bool restart =
      count_ % restart_interval_ == 0 && restarts_.size() < kMaxRestarts;
  size_t prefix = 0;
  if (!restart) {
    const auto end = std::ranges::mismatch(key, last_key_);
    prefix = static_cast<size_t>(end.in1 - key.begin());
  }
  AppendOffsetVarint(prefix, bytes_);
  AppendOffsetVarint(uint64_t{key.size() - prefix} << kTypeBits | type, bytes_);
  Append(bytes_, AsBytes(key.substr(prefix)));
  Append(bytes_, value);
  const size_t restarts = restarts_.size() + (restart ? 1 : 0);
  if (bytes_.size() + restarts * kRestartSize + kCountSize > limit) {
    bytes_.resize(old_size);
    return false;
  }
  if (restart) restarts_.push_back(static_cast<uint32_t>(old_size));
  last_key_ = key;
  ++count_;
  return true;
}

Bytes& BlockBuilder::Finish() {
  ZPACK_CHECK(!empty());
  for (const uint32_t restart : restarts_) {
    const size_t at = bytes_.size();
    bytes_.resize(at + kRestartSize);
    StoreU24(restart, &bytes_[at]);
  }
  ByteWriter(bytes_).U16(static_cast<uint16_t>(restarts_.size()));
  StoreU24(static_cast<uint32_t>(bytes_.size()), &bytes_[front_ + 1]);
  return bytes_;
}

}  // namespace zpack::reftable
