// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/commit_stretch_encoder.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack {

using format::StreamKind;

Bytes& CommitStretchEncoder::Stream(StreamKind kind) {
  return streams_[static_cast<size_t>(std::ranges::find(kKinds, kind) -
                                      kKinds.begin())];
}

void CommitStretchEncoder::Clear() {
  for (Bytes& stream : streams_) stream.clear();
  count_ = 0;
  texts_.clear();
  outside_.clear();
  expected_tree_ = 0;
  last_time_ = 0;
}

void CommitStretchEncoder::Begin(uint32_t first,
                                 std::vector<EncodedBlock>& out) {
  Clear();
  first_ = first;
  out_ = &out;
}

uint32_t CommitStretchEncoder::BlockNumber(const ObjectId& id) {
  const uint32_t number = numbers_.Number(id);
  if (!numbers_.IsOutside(number)) return number;
  const auto [at, added] =
      outside_.try_emplace(number, static_cast<uint32_t>(outside_.size()));
  if (added) Append(Stream(StreamKind::kOutsideIds), id.bytes());
  return numbers_.object_count() + at->second;
}

uint64_t CommitStretchEncoder::Place(std::string_view text) {
  const auto [at, added] = texts_.try_emplace(
      std::string(text), static_cast<uint32_t>(texts_.size()));
  if (!added) return at->second + 1;
  Bytes& texts = Stream(StreamKind::kIdentityTexts);
  Append(texts, AsBytes(text));
  texts.push_back(0);
  return 0;
}

uint64_t CommitStretchEncoder::Age(std::string_view text) {
  const uint64_t place = Place(text);
  return place == 0 ? 0 : texts_.size() + 1 - place;
}

void CommitStretchEncoder::AddVerbatim(ByteView content) {
  Number(StreamKind::kParentCounts, 0);
  Number(StreamKind::kMessageSizes, content.size());
  Append(Stream(StreamKind::kMessages), content);
}

void CommitStretchEncoder::AddColumns(const format::CommitText& text) {
  // 0 stands for a verbatim commit.
  Number(StreamKind::kParentCounts, text.parents.size() + 1);
  const uint64_t tree = BlockNumber(text.tree);
  Difference(StreamKind::kRootTrees, tree, expected_tree_);
  expected_tree_ = std::max(expected_tree_, tree + 1);
  for (const ObjectId& parent : text.parents) {
    Difference(StreamKind::kParents, BlockNumber(parent),
               uint64_t{first_} + count_ + 1);
  }
  for (const format::CommitPerson* person : {&text.author, &text.committer}) {
    Number(StreamKind::kIdentities, Age(person->identity));
    Number(StreamKind::kTimeZones, Place(person->time_zone));
  }
  const auto author_time = static_cast<uint64_t>(text.author.time);
  const auto time = static_cast<uint64_t>(text.committer.time);
  Difference(StreamKind::kTimes, time, last_time_);
  Difference(StreamKind::kTimes, time, author_time);
  last_time_ = time;
  Number(StreamKind::kHeaderSizes, text.headers.size());
  Append(Stream(StreamKind::kHeaders), text.headers);
  Number(StreamKind::kMessageSizes, text.message.size());
  Append(Stream(StreamKind::kMessages), text.message);
}

Status CommitStretchEncoder::Add(const Bytes& content, uint32_t /*path*/) {
  format::CommitText text;
  if (format::SplitCommit(content, numbers_.format(), text)) {
    AddColumns(text);
  } else {
    AddVerbatim(content);
  }
  ++count_;
  uint64_t size = 0;
  for (const Bytes& stream : streams_) size += stream.size();
  return size < block_size_ ? Status{} : CloseBlock();
}

Status CommitStretchEncoder::Finish() {
  return count_ == 0 ? Status{} : CloseBlock();
}

Status CommitStretchEncoder::CloseBlock() {
  EncodedBlock block;
  block.first_object = first_;
  format::BlockHeader header;
  header.kind = format::BlockKind::kCommits;
  header.type = ObjectType::kCommit;
  header.first_object = first_;
  header.object_count = count_;
  std::vector<BlockEncoder::RawStream> streams;
  streams.reserve(streams_.size());
  for (size_t i = 0; i < streams_.size(); ++i) {
    streams.push_back({kKinds[i], streams_[i]});
  }
  ZPACK_TRY(encoder_.Encode(header, streams, block.chunk));
  out_->push_back(std::move(block));
  first_ += count_;
  Clear();
  return {};
}

}  // namespace zpack
