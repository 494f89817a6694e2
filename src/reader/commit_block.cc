// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/commit_block.h"

#include <string_view>

#include "base/error.h"
#include "format/commit_text.h"

namespace zpack {
namespace {

class CommitDecoder {
 public:
  CommitDecoder(const CommitStreams& streams, const CommitContext& context,
                uint64_t max_size)
      : context_(context),
        max_size_(max_size),
        id_width_(ObjectIdWidth(context.numbers.format)),
        outside_ids_(streams.links.outside_ids),
        links_(streams.links, context.numbers),
        identities_(streams.identities),
        texts_(AsText(streams.identity_texts)),
        time_zones_(streams.time_zones),
        header_sizes_(streams.header_sizes),
        headers_(streams.headers),
        message_sizes_(streams.message_sizes),
        messages_(streams.messages) {}

  Result<Commits> Decode(uint32_t count) {
    ZPACK_TRY(links_.Check(count));
    Commits commits;
    commits.sizes.reserve(count);
    for (uint32_t index = 0; index < count; ++index) {
      const size_t before = commits.contents.size();
      ZPACK_TRY(DecodeCommit(commits.contents));
      commits.sizes.push_back(commits.contents.size() - before);
    }
    if (!links_.exhausted() || !identities_.exhausted() || !texts_.empty() ||
        !time_zones_.exhausted() || !header_sizes_.exhausted() ||
        !headers_.exhausted() || !message_sizes_.exhausted() ||
        !messages_.exhausted()) {
      return BadCommits("end of streams");
    }
    return commits;
  }

 private:
  Status DecodeCommit(Bytes& out) {
    ZPACK_TRY(links_.Next(row_));
    if (row_.verbatim) {
      const ByteView content = messages_.Raw(message_sizes_.Varint());
      if (!message_sizes_.ok() || !messages_.ok()) return BadCommits("message");
      ZPACK_TRY(CheckRoom(content.size(), out));
      Append(out, content);
      return {};
    }
    format::CommitText text;
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
    for (format::CommitPerson* person : {&text.author, &text.committer}) {
      ZPACK_TRY(ReadText(identities_, CountedFrom::kLast, person->identity));
      ZPACK_TRY(ReadText(time_zones_, CountedFrom::kFirst, person->time_zone));
    }
    text.headers = headers_.Raw(header_sizes_.Varint());
    text.message = messages_.Raw(message_sizes_.Varint());
    if (!header_sizes_.ok() || !headers_.ok() || !message_sizes_.ok() ||
        !messages_.ok()) {
      return BadCommits("commit");
    }
    if (!format::IsSplit(text)) return BadCommits("form of commit");
    ZPACK_TRY(CheckRoom(
        id_lines + text.author.identity.size() + text.author.time_zone.size() +
            text.committer.identity.size() + text.committer.time_zone.size() +
            text.headers.size() + text.message.size(),
        out));
    format::AppendCommit(text, out);
    return CheckRoom(0, out);
  }

  // Returns kLimitExceeded if `out` may not grow by `size` bytes.
  Status CheckRoom(uint64_t size, const Bytes& out) const {
    if (out.size() <= max_size_ && size <= max_size_ - out.size()) return {};
    return MakeError(ErrorCode::kLimitExceeded,
                     "a block of commits represents more than {} bytes",
                     max_size_);
  }

  ObjectId Id(LinkNumber number) const {
    if (number.value() < context_.numbers.object_count) {
      return context_.id_of(ObjectNumber(number.value()));
    }
    const size_t outside = number.value() - context_.numbers.object_count;
    return ObjectId(outside_ids_.subspan(outside * id_width_, id_width_));
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
  ByteView outside_ids_;
  CommitColumns links_;
  ByteReader identities_;
  std::string_view texts_;  // texts that have not been read
  ByteReader time_zones_;
  ByteReader header_sizes_;
  ByteReader headers_;
  ByteReader message_sizes_;
  ByteReader messages_;
  std::vector<std::string_view> known_texts_;
  CommitColumns::Row row_;  // the commit being decoded
};

}  // namespace

Result<Commits> DecodeCommits(const CommitStreams& streams, uint32_t count,
                              const CommitContext& context, uint64_t max_size) {
  return CommitDecoder(streams, context, max_size).Decode(count);
}

}  // namespace zpack
