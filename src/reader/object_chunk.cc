// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_chunk.h"

#include <utility>

namespace zpack {
namespace {

// Larger buffers are not kept for reuse.
constexpr size_t kMaxKeptBuffer = size_t{2} << 20;
constexpr size_t kMaxKeptEntries = 4096;

}  // namespace

void ObjectChunk::Add(ObjectNumber number, ObjectType type, ByteView content) {
  Entry entry;
  entry.number = number;
  entry.info = {type, content.size()};
  entry.header = bytes_.size();
  Append(bytes_, ObjectHeader(entry.info).bytes());
  entry.begin = bytes_.size();
  Append(bytes_, content);
  entry.end = bytes_.size();
  entries_.push_back(std::move(entry));
}

void ObjectChunk::AddTooLarge(ObjectNumber number, const ObjectInfo& info) {
  Entry entry;
  entry.number = number;
  entry.state = State::kTooLarge;
  entry.info = info;
  entries_.push_back(std::move(entry));
}

void ObjectChunk::AddLost(ObjectNumber number, Error error) {
  Entry entry;
  entry.number = number;
  entries_.push_back(std::move(entry));
  Lose(entries_.back(), std::move(error));
}

void ObjectChunk::Lose(Entry& entry, Error error) {
  error_bytes_ += sizeof(Error) + error.message.size() + error.path.size();
  entry.state = State::kLost;
  entry.info = {};
  entry.error = std::make_unique<const Error>(std::move(error));
}

void ObjectChunk::Clear() {
  if (bytes_.capacity() > kMaxKeptBuffer) bytes_ = Bytes();
  bytes_.clear();
  if (entries_.capacity() > kMaxKeptEntries) entries_ = std::vector<Entry>();
  entries_.clear();
  error_bytes_ = 0;
}

ChunkHasher::ChunkHasher(ObjectFormat format)
    : hasher_(HashAlgorithmOf(format)),
      batch_(BatchHasher::Create(HashAlgorithmOf(format))) {}

void ChunkHasher::Hash(const ObjectChunk& chunk) {
  which_.clear();
  messages_.clear();
  alone_.clear();
  for (size_t i = 0; i < chunk.entries_.size(); ++i) {
    const ObjectChunk::Entry& entry = chunk.entries_[i];
    if (entry.state != ObjectChunk::State::kWhole) continue;
    const size_t size = entry.end - entry.header;
    if (batch_ == nullptr || size > BatchHasher::kMaxMessage) {
      alone_.push_back(i);
    } else {
      which_.push_back(i);
      messages_.push_back(ByteView(chunk.bytes_).subspan(entry.header, size));
    }
  }
  hashes_.resize(messages_.size() + alone_.size());
  if (!messages_.empty()) {
    batch_->Run(messages_, std::span(hashes_).first(messages_.size()));
  }
  for (const size_t i : alone_) {
    const ObjectChunk::Entry& entry = chunk.entries_[i];
    hasher_.Update(
        ByteView(chunk.bytes_).subspan(entry.header, entry.end - entry.header));
    hasher_.Finish(hashes_[which_.size()]);
    which_.push_back(i);
  }
}

}  // namespace zpack
