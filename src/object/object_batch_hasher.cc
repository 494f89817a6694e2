// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/object_batch_hasher.h"

#include <utility>

namespace zpack {
namespace {

constexpr size_t kMaxWaiting = size_t{512} << 10;

}  // namespace

ObjectBatchHasher::ObjectBatchHasher(ObjectFormat format)
    : hasher_(format),
      batch_(BatchHasher::Create(HashAlgorithmOf(format))),
      hash_size_(ObjectIdWidth(format)) {}

void ObjectBatchHasher::Add(ObjectType type, ByteView content) {
  const ObjectHeader header({type, content.size()});
  if (batch_ == nullptr ||
      header.bytes().size() + content.size() > BatchHasher::kMaxMessage) {
    ids_.push_back(hasher_.Hash(type, content));
    return;
  }
  Append(messages_, header.bytes());
  Append(messages_, content);
  waiting_.push_back({ids_.size(), messages_.size()});
  ids_.emplace_back();
}

bool ObjectBatchHasher::full() const { return messages_.size() >= kMaxWaiting; }

std::vector<ObjectId> ObjectBatchHasher::Finish() {
  if (waiting_.empty()) return std::exchange(ids_, {});
  std::vector<ByteView> messages;
  messages.reserve(waiting_.size());
  for (size_t begin = 0; const Waiting& object : waiting_) {
    messages.push_back(ByteView(messages_).subspan(begin, object.end - begin));
    begin = object.end;
  }
  std::vector<BatchHasher::Hash> hashes(messages.size());
  batch_->Run(messages, hashes);
  for (size_t i = 0; i < hashes.size(); ++i) {
    ids_[waiting_[i].at] = ObjectId(ByteView(hashes[i]).first(hash_size_));
  }
  messages_.clear();
  waiting_.clear();
  return std::exchange(ids_, {});
}

}  // namespace zpack
