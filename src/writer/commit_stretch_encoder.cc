// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/commit_stretch_encoder.h"

#include <algorithm>

#include "base/error.h"
#include "format/limits.h"

namespace zpack {

using format::StreamKind;

void CommitStretchEncoder::Clear() {
  streams_.Clear();
  count_ = 0;
  content_size_ = 0;
  texts_.clear();
  block_numbers_.Clear();
  links_ = {};
  last_time_ = 0;
}

void CommitStretchEncoder::Begin(ObjectNumber first,
                                 std::vector<EncodedBlock>& out) {
  Clear();
  output_.Begin(first, out);
}

uint64_t CommitStretchEncoder::Place(std::string_view text) {
  const auto [at, added] = texts_.try_emplace(
      std::string(text), static_cast<uint32_t>(texts_.size()));
  if (!added) return at->second + 1;
  Bytes& texts = streams_[StreamKind::kIdentityTexts];
  Append(texts, AsBytes(text));
  texts.push_back(0);
  return 0;
}

uint64_t CommitStretchEncoder::Age(std::string_view text) {
  const uint64_t place = Place(text);
  return place == 0 ? 0 : texts_.size() + 1 - place;
}

void CommitStretchEncoder::AddVerbatim(ByteView content) {
  streams_.Number(StreamKind::kParentCounts, 0);
  streams_.Number(StreamKind::kMessageSizes, content.size());
  Append(streams_[StreamKind::kMessages], content);
}

void CommitStretchEncoder::AddColumns(const format::CommitText& text) {
  // 0 stands for a verbatim commit.
  streams_.Number(StreamKind::kParentCounts, text.parents.size() + 1);
  const LinkNumber tree = BlockNumber(text.tree);
  parents_.clear();
  parents_.reserve(text.parents.size());
  for (const ObjectId& parent : text.parents) {
    parents_.push_back(BlockNumber(parent));
  }
  links_.Add(output_.first() + count_, tree, parents_, streams_);
  for (const format::CommitPerson* person : {&text.author, &text.committer}) {
    streams_.Number(StreamKind::kIdentities, Age(person->identity));
    streams_.Number(StreamKind::kTimeZones, Place(person->time_zone));
  }
  const auto author_time = static_cast<uint64_t>(text.author.time);
  const auto time = static_cast<uint64_t>(text.committer.time);
  Difference(StreamKind::kTimes, time, last_time_);
  Difference(StreamKind::kTimes, time, author_time);
  last_time_ = time;
  streams_.Number(StreamKind::kHeaderSizes, text.headers.size());
  Append(streams_[StreamKind::kHeaders], text.headers);
  streams_.Number(StreamKind::kMessageSizes, text.message.size());
  Append(streams_[StreamKind::kMessages], text.message);
}

Status CommitStretchEncoder::Add(const Bytes& content, PathNumber /*path*/) {
  if (count_ != 0 && content_size_ + content.size() > format::kMaxCommits) {
    ZPACK_TRY(CloseBlock());
  }
  content_size_ += content.size();
  format::CommitText text;
  if (format::SplitCommit(content, numbers_.format(), text) ==
      format::CommitFlaw::kNone) {
    AddColumns(text);
  } else {
    AddVerbatim(content);
  }
  ++count_;
  return streams_.raw_size() < block_size_ ? Status{} : CloseBlock();
}

Status CommitStretchEncoder::Finish() {
  return count_ == 0 ? Status{} : CloseBlock();
}

Status CommitStretchEncoder::CloseBlock() {
  ZPACK_TRY(output_.AddBlock(
      {format::BlockKind::kCommits, count_, content_size_, content_size_},
      streams_.Views()));
  Clear();
  return {};
}

}  // namespace zpack
