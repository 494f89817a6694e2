// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_stream_sink.h"

#include <array>
#include <utility>

#include "base/error.h"
#include "object/object_hasher.h"
#include "pack/pack_format.h"

namespace zpack {

PackStreamSink::PackStreamSink(ObjectFormat format, uint32_t object_count,
                               BaseReferences references, PackEffort effort,
                               Output output)
    : output_(std::move(output)),
      references_(references),
      effort_(effort),
      object_count_(object_count),
      hasher_(HashAlgorithmOf(format)) {
  offsets_.reserve(object_count);
  ByteWriter header(buffer_);
  header.U32(kPackSignature);
  header.U32(kPackVersion);
  header.U32(object_count);
}

std::unique_ptr<ObjectPreparer> PackStreamSink::NewPreparer(
    uint64_t window) const {
  return std::make_unique<PackEntryPreparer>(window, effort_);
}

// The header of the pack is in `buffer_` until the first object is added.
Status PackStreamSink::Write(ByteView bytes) {
  hasher_.Update(bytes);
  size_ += bytes.size();
  return output_(bytes);
}

Status PackStreamSink::Add(const ObjectId& id, const PreparedObject& object,
                           ByteView stored) {
  const size_t entry = offsets_.size();
  const uint64_t offset = size_ + buffer_.size();
  if (!object.outside_base.empty()) {
    EncodeReferenceDeltaHeader(object.raw_size, object.outside_base, buffer_);
  } else if (object.base_distance == 0) {
    EncodeWholeHeader(object.type, object.raw_size, buffer_);
  } else if (references_ == BaseReferences::kOffsets) {
    EncodeOffsetDeltaHeader(object.raw_size,
                            offset - offsets_[entry - object.base_distance],
                            buffer_);
  } else {
    EncodeReferenceDeltaHeader(object.raw_size,
                               ids_[entry - object.base_distance], buffer_);
  }
  if (!object.outside_base.empty() || object.base_distance != 0) ++deltas_;
  offsets_.push_back(offset);
  if (references_ == BaseReferences::kIds) ids_.push_back(id);
  ZPACK_TRY(Write(buffer_));
  buffer_.clear();
  return Write(stored);
}

Status PackStreamSink::Begin(const ObjectId& id, const ObjectInfo& info) {
  offsets_.push_back(size_ + buffer_.size());
  if (references_ == BaseReferences::kIds) ids_.push_back(id);
  EncodeWholeHeader(info.type, info.size, buffer_);
  ZPACK_TRY(Write(buffer_));
  buffer_.clear();
  deflater_.emplace([this](ByteView piece) { return Write(piece); });
  return {};
}

Status PackStreamSink::Append(ByteView piece) {
  return deflater_->Append(piece);
}

Status PackStreamSink::End() {
  ZPACK_TRY(deflater_->Finish());
  deflater_.reset();
  return {};
}

Result<uint64_t> PackStreamSink::Finish(const RefsSnapshot& /*refs*/) {
  if (offsets_.size() != object_count_) {
    return MakeError(ErrorCode::kInternal,
                     "a pack of {} objects was announced, but {} were sent",
                     object_count_, offsets_.size());
  }
  ZPACK_TRY(Write(buffer_));
  buffer_.clear();
  std::array<uint8_t, Hasher::kMaxSize> storage;
  const ByteView hash = hasher_.Finish(storage);
  size_ += hash.size();
  ZPACK_TRY(output_(hash));
  return size_;
}

}  // namespace zpack
