// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/commit_block.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "format/commit_text.h"

namespace zpack {
namespace {

std::unexpected<Error> Bad(std::string_view what) {
  return MakeError(ErrorCode::kCorrupt, "bad {} in block of commits", what);
}

class CommitDecoder {
 public:
  CommitDecoder(const CommitStreams& streams, const CommitContext& context,
                uint64_t max_size)
      : context_(context),
        max_size_(max_size),
        id_width_(ObjectIdWidth(context.format)),
        outside_ids_(streams.outside_ids),
        root_trees_(streams.root_trees),
        parent_counts_(streams.parent_counts),
        parents_(streams.parents),
        identities_(streams.identities),
        texts_(AsText(streams.identity_texts)),
        times_(streams.times),
        time_zones_(streams.time_zones),
        header_sizes_(streams.header_sizes),
        headers_(streams.headers),
        message_sizes_(streams.message_sizes),
        messages_(streams.messages) {}

  Result<Commits> Decode(uint32_t count) {
    if (outside_ids_.size() % id_width_ != 0) return Bad("outside ids");
    if (parent_counts_.Count(count, 1) != count) return Bad("parent counts");
    Commits commits;
    commits.sizes.reserve(count);
    for (uint32_t index = 0; index < count; ++index) {
      const size_t before = commits.contents.size();
      ZPACK_TRY(DecodeCommit(index, commits.contents));
      commits.sizes.push_back(commits.contents.size() - before);
    }
    if (!parent_counts_.exhausted() || !root_trees_.exhausted() ||
        !parents_.exhausted() || !identities_.exhausted() || !texts_.empty() ||
        !times_.exhausted() || !time_zones_.exhausted() ||
        !header_sizes_.exhausted() || !headers_.exhausted() ||
        !message_sizes_.exhausted() || !messages_.exhausted()) {
      return Bad("end of streams");
    }
    return commits;
  }

 private:
  Status DecodeCommit(uint32_t index, Bytes& out) {
    const uint64_t parents = parent_counts_.Varint();
    if (!parent_counts_.ok()) return Bad("parent count");
    if (parents == 0) {
      const ByteView content = messages_.Raw(message_sizes_.Varint());
      if (!message_sizes_.ok() || !messages_.ok()) return Bad("message");
      ZPACK_TRY(CheckRoom(content.size(), out));
      Append(out, content);
      return {};
    }
    format::CommitText text;
    uint64_t tree = 0;
    ZPACK_TRY(ReadNumber(root_trees_, expected_tree_, tree, text.tree));
    expected_tree_ = std::max(expected_tree_, tree + 1);
    if (parents_.Count(parents - 1, 1) != parents - 1) return Bad("parents");
    // Before anything is built that could be large.
    const uint64_t id_lines = (parents - 1) * (2 * id_width_ + 8);
    ZPACK_TRY(CheckRoom(id_lines, out));
    for (uint64_t i = 0; i + 1 < parents; ++i) {
      uint64_t number = 0;
      ZPACK_TRY(ReadNumber(parents_,
                           uint64_t{context_.first_object} + index + 1, number,
                           text.parents.emplace_back()));
    }
    for (format::CommitPerson* person : {&text.author, &text.committer}) {
      ZPACK_TRY(ReadText(identities_, true, person->identity));
      ZPACK_TRY(ReadText(time_zones_, false, person->time_zone));
    }
    // Unsigned arithmetic wraps as the writer's does.
    last_time_ += Difference(times_);
    text.committer.time = static_cast<int64_t>(last_time_);
    text.author.time = static_cast<int64_t>(last_time_ - Difference(times_));
    text.headers = headers_.Raw(header_sizes_.Varint());
    text.message = messages_.Raw(message_sizes_.Varint());
    if (!times_.ok() || !header_sizes_.ok() || !headers_.ok() ||
        !message_sizes_.ok() || !messages_.ok()) {
      return Bad("commit");
    }
    ZPACK_TRY(CheckRoom(
        id_lines + text.author.identity.size() + text.author.time_zone.size() +
            text.committer.identity.size() + text.committer.time_zone.size() +
            text.headers.size() + text.message.size(),
        out));
    format::AppendCommit(text, out);
    return CheckRoom(0, out);
  }

  // kLimitExceeded when `out` may not take `size` more bytes.
  Status CheckRoom(uint64_t size, const Bytes& out) const {
    if (out.size() <= max_size_ && size <= max_size_ - out.size()) return {};
    return MakeError(ErrorCode::kLimitExceeded,
                     "a block of commits stands for more than {} bytes",
                     max_size_);
  }

  static uint64_t Difference(ByteReader& in) {
    return static_cast<uint64_t>(UnZigZag(in.Varint()));
  }

  Status ReadNumber(ByteReader& in, uint64_t expected, uint64_t& number,
                    ObjectId& id) const {
    // Wraps; what is left of nonsense is too large.
    number = expected + Difference(in);
    if (!in.ok()) return Bad("object number");
    if (number < context_.object_count) {
      id = context_.id_of(static_cast<uint32_t>(number));
      return {};
    }
    const uint64_t outside = number - context_.object_count;
    if (outside >= outside_ids_.size() / id_width_) return Bad("object number");
    id = ObjectId(outside_ids_.subspan(outside * id_width_, id_width_));
    return {};
  }

  // A new text, or one that was there before, counted from the last one back
  // or from the first one on.
  Status ReadText(ByteReader& in, bool from_last, std::string_view& text) {
    const uint64_t code = in.Varint();
    if (!in.ok() || code > known_texts_.size()) return Bad("identity");
    if (code != 0) {
      text = known_texts_[from_last ? known_texts_.size() - code : code - 1];
      return {};
    }
    const size_t end = texts_.find('\0');
    if (end == std::string_view::npos) return Bad("identity text");
    text = texts_.substr(0, end);
    texts_.remove_prefix(end + 1);
    known_texts_.push_back(text);
    return {};
  }

  const CommitContext& context_;
  uint64_t max_size_;
  size_t id_width_;
  ByteView outside_ids_;
  ByteReader root_trees_;
  ByteReader parent_counts_;
  ByteReader parents_;
  ByteReader identities_;
  std::string_view texts_;  // those that were not read yet
  ByteReader times_;
  ByteReader time_zones_;
  ByteReader header_sizes_;
  ByteReader headers_;
  ByteReader message_sizes_;
  ByteReader messages_;
  std::vector<std::string_view> known_texts_;
  uint64_t expected_tree_ = 0;
  uint64_t last_time_ = 0;
};

}  // namespace

Result<Commits> DecodeCommits(const CommitStreams& streams, uint32_t count,
                              const CommitContext& context, uint64_t max_size) {
  return CommitDecoder(streams, context, max_size).Decode(count);
}

}  // namespace zpack
