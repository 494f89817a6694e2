// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/commit_block.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"

namespace zpack::format {

void CommitBlockBuilder::Begin(ObjectNumber first) {
  first_ = first;
  count_ = 0;
  content_ = 0;
  streams_.Clear();
  texts_.clear();
  links_.Clear();
  columns_ = {};
}

uint64_t CommitBlockBuilder::Place(std::string_view text) {
  const auto [at, added] = texts_.try_emplace(
      std::string(text), static_cast<uint32_t>(texts_.size()));
  if (!added) return at->second + 1;
  Bytes& texts = streams_[StreamKind::kIdentityTexts];
  Append(texts, AsBytes(text));
  texts.push_back(0);
  return 0;
}

uint64_t CommitBlockBuilder::Age(std::string_view text) {
  const uint64_t place = Place(text);
  return place == 0 ? 0 : texts_.size() + 1 - place;
}

void CommitBlockBuilder::AddColumns(const CommitText& text) {
  row_.tree = Link(text.tree);
  row_.parents.clear();
  row_.parents.reserve(text.parents.size());
  for (const ObjectId& parent : text.parents) {
    row_.parents.push_back(Link(parent));
  }
  row_.author_time = text.author.time;
  row_.committer_time = text.committer.time;
  for (const CommitPerson* person : {&text.author, &text.committer}) {
    streams_.Number(StreamKind::kIdentities, Age(person->identity));
    streams_.Number(StreamKind::kTimeZones, Place(person->time_zone));
  }
  streams_.Number(StreamKind::kHeaderSizes, text.headers.size());
  Append(streams_[StreamKind::kHeaders], text.headers);
  streams_.Number(StreamKind::kMessageSizes, text.message.size());
  Append(streams_[StreamKind::kMessages], text.message);
}

void CommitBlockBuilder::Add(ByteView content) {
  CommitText text;
  row_.verbatim =
      SplitCommit(content, numbers_.format(), text) != CommitFlaw::kNone;
  if (row_.verbatim) {
    streams_.Number(StreamKind::kMessageSizes, content.size());
    Append(streams_[StreamKind::kMessages], content);
  } else {
    AddColumns(text);
  }
  columns_.Add(first_ + count_, row_, streams_);
  ++count_;
  content_ += content.size();
}

namespace {

// About what the lines of author and committer take.
constexpr uint64_t kPersons = 160;
// Twice the size of usual blocks. More is allocated only as it arrives.
constexpr uint64_t kMostExpectedBytes = uint64_t{2} << 20;

class CommitDecoder {
 public:
  CommitDecoder(const BlockStreams& streams, const CommitContext& context,
                uint64_t max_size)
      : context_(context),
        max_size_(max_size),
        id_width_(ObjectIdWidth(context.numbers.format)),
        columns_(streams, context.numbers),
        identities_(streams[StreamKind::kIdentities]),
        texts_(AsText(streams[StreamKind::kIdentityTexts])),
        time_zones_(streams[StreamKind::kTimeZones]),
        header_sizes_(streams[StreamKind::kHeaderSizes]),
        headers_(streams[StreamKind::kHeaders]),
        message_sizes_(streams[StreamKind::kMessageSizes]),
        messages_(streams[StreamKind::kMessages]) {}

  Result<Commits> Decode(uint32_t count) {
    ZPACK_TRY(columns_.Check(count));
    Commits commits;
    commits.sizes.reserve(count);
    commits.contents.reserve(ExpectedSize(count));
    for (uint32_t index = 0; index < count; ++index) {
      const size_t before = commits.contents.size();
      ZPACK_TRY(DecodeCommit(commits.contents));
      commits.sizes.push_back(commits.contents.size() - before);
    }
    if (!columns_.exhausted() || !identities_.exhausted() || !texts_.empty() ||
        !time_zones_.exhausted() || !header_sizes_.exhausted() ||
        !headers_.exhausted() || !message_sizes_.exhausted() ||
        !messages_.exhausted()) {
      return BadCommits("end of streams");
    }
    return commits;
  }

 private:
  // About how many bytes the commits have. A lower number costs copies, and a
  // greater one only address space.
  size_t ExpectedSize(uint32_t count) const {
    const uint64_t size = messages_.remaining() + headers_.remaining() +
                          count * (2 * (2 * id_width_ + 8) + kPersons);
    return std::min({size, max_size_, kMostExpectedBytes});
  }

  Status DecodeCommit(Bytes& out) {
    ZPACK_TRY(columns_.Next(row_));
    if (row_.verbatim) {
      const ByteView content = messages_.Raw(message_sizes_.Varint());
      if (!message_sizes_.ok() || !messages_.ok()) return BadCommits("message");
      ZPACK_TRY(MakeRoom(content.size(), out));
      Append(out, content);
      return {};
    }
    CommitText text;
    // Check before anything large is built.
    const uint64_t id_lines = row_.parents.size() * (2 * id_width_ + 8);
    ZPACK_TRY(CheckRoom(id_lines, out));
    text.tree = Id(row_.tree);
    text.parents.reserve(row_.parents.size());
    for (const LinkNumber parent : row_.parents) {
      text.parents.push_back(Id(parent));
    }
    text.author.time = row_.author_time;
    text.committer.time = row_.committer_time;
    for (CommitPerson* person : {&text.author, &text.committer}) {
      ZPACK_TRY(ReadText(identities_, CountedFrom::kLast, person->identity));
      ZPACK_TRY(ReadText(time_zones_, CountedFrom::kFirst, person->time_zone));
    }
    text.headers = headers_.Raw(header_sizes_.Varint());
    text.message = messages_.Raw(message_sizes_.Varint());
    if (!header_sizes_.ok() || !headers_.ok() || !message_sizes_.ok() ||
        !messages_.ok()) {
      return BadCommits("commit");
    }
    if (!IsSplit(text)) return BadCommits("form of commit");
    ZPACK_TRY(MakeRoom(
        id_lines + text.author.identity.size() + text.author.time_zone.size() +
            text.committer.identity.size() + text.committer.time_zone.size() +
            text.headers.size() + text.message.size(),
        out));
    AppendCommit(text, out);
    return CheckRoom(0, out);
  }

  // Returns kLimitExceeded if `out` may not grow by `size` bytes.
  Status CheckRoom(uint64_t size, const Bytes& out) const {
    if (out.size() <= max_size_ && size <= max_size_ - out.size()) return {};
    return MakeError(ErrorCode::kLimitExceeded,
                     "a block of commits represents more than {} bytes",
                     max_size_);
  }

  // The same, and makes room for about `size` bytes. Memory grows fourfold as
  // more content arrives, but not beyond the limit.
  Status MakeRoom(uint64_t size, Bytes& out) const {
    ZPACK_TRY(CheckRoom(size, out));
    const uint64_t needed = out.size() + size + kPersons;
    if (needed > out.capacity()) {
      out.reserve(std::max(needed, std::min(4 * out.size(), max_size_)));
    }
    return {};
  }

  ObjectId Id(LinkNumber link) const {
    const LinkDecoder& links = columns_.links();
    return links.IsOutside(link) ? ObjectId(links.OutsideId(link))
                                 : context_.id_of(LinkDecoder::Object(link));
  }

  enum class CountedFrom : uint8_t { kFirst, kLast };

  // Reads a text: a new one, or an earlier one, identified by its position from
  // the end or from the start of the list.
  Status ReadText(ByteReader& in, CountedFrom from, std::string_view& text) {
    const uint64_t code = in.Varint();
    if (!in.ok() || code > known_texts_.size()) return BadCommits("identity");
    if (code != 0) {
      text =
          known_texts_[from == CountedFrom::kLast ? known_texts_.size() - code
                                                  : code - 1];
      return {};
    }
    const size_t end = texts_.find('\0');
    if (end == std::string_view::npos) return BadCommits("identity text");
    text = texts_.substr(0, end);
    texts_.remove_prefix(end + 1);
    known_texts_.push_back(text);
    return {};
  }

  const CommitContext& context_;
  uint64_t max_size_;
  size_t id_width_;
  CommitColumns columns_;
  ByteReader identities_;
  std::string_view texts_;  // texts that have not been read
  ByteReader time_zones_;
  ByteReader header_sizes_;
  ByteReader headers_;
  ByteReader message_sizes_;
  ByteReader messages_;
  std::vector<std::string_view> known_texts_;
  CommitRow row_;  // the commit being decoded
};

}  // namespace

Result<Commits> DecodeCommits(const BlockStreams& streams, uint32_t count,
                              const CommitContext& context, uint64_t max_size) {
  return CommitDecoder(streams, context, max_size).Decode(count);
}

}  // namespace zpack::format
