// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/object_links.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <system_error>

#include "base/byte_compare.h"

namespace zpack {
namespace {

// Removes the next line from `rest` and returns it without its line feed. Stops
// before the empty line that ends the header.
bool NextHeaderLine(std::string_view& rest, std::string_view& line) {
  if (rest.empty() || rest.front() == '\n') return false;
  const size_t end = std::min(rest.find('\n'), rest.size());
  line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return true;
}

// Position of the first zero byte; the size if there is none. Names are short,
// so comparing eight bytes at a time costs less than a call of memchr.
size_t FindZero(ByteView bytes) {
  size_t at = 0;
  for (; bytes.size() - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
    const uint64_t word = LoadWord(&bytes[at]);
    // The lowest set bit belongs to the first zero byte (Warren, Hacker's
    // Delight, 6-1).
    const uint64_t zeros =
        (word - 0x0101010101010101) & ~word & 0x8080808080808080;
    if (zeros != 0)
      return at + static_cast<size_t>(std::countr_zero(zeros)) / 8;
  }
  while (at < bytes.size() && bytes[at] != 0) ++at;
  return at;
}

ObjectId ParseId(std::string_view hex, ObjectFormat format) {
  if (hex.size() != ObjectIdWidth(format) * 2) return {};
  return ObjectId::FromHex(hex).value_or(ObjectId());
}

}  // namespace

bool TreeIterator::Next(TreeEntry& entry) {
  uint32_t mode = 0;
  size_t at = 0;
  while (at < rest_.size() && rest_[at] >= '0' && rest_[at] <= '7') {
    mode = mode << 3 | (rest_[at] - '0');
    ++at;
  }
  if (at == 0 || at == rest_.size() || rest_[at] != ' ') return false;
  ++at;
  const auto name = rest_.subspan(at);
  const size_t name_size = FindZero(name);
  if (name.size() < name_size + 1 + width_) return false;
  entry.mode = mode;
  entry.name = AsText(name.first(name_size));
  entry.id = name.subspan(name_size + 1, width_);
  rest_ = name.subspan(name_size + 1 + width_);
  return true;
}

void NewTreeEntries::NextKnown() {
  const ByteView before = known_.rest();
  known_bytes_ = known_.Next(known_entry_)
                     ? before.first(before.size() - known_.rest().size())
                     : ByteView();
}

void NewTreeEntries::SkipCommon() {
  if (known_bytes_.empty()) return;
  const ByteView content = entries_.rest();
  const ByteView known(known_bytes_.data(),
                       known_bytes_.size() + known_.rest().size());
  const size_t common = CommonPrefix(content.data(), known.data(),
                                     std::min(content.size(), known.size()));
  if (common < known_bytes_.size()) return;
  if (common == content.size()) {
    entries_.Skip(common);
    return;
  }
  TreeIterator ahead = entries_;
  TreeEntry entry;
  while (ahead.Next(entry) && content.size() - ahead.rest().size() <= common) {
    entries_ = ahead;
  }
  // `passed` is at least the size of the current entry of `known`.
  const size_t passed = content.size() - entries_.rest().size();
  known_.Skip(passed - known_bytes_.size());
  NextKnown();
}

bool NewTreeEntries::Next(TreeEntry& entry) {
  while (true) {
    SkipCommon();
    const ByteView before = entries_.rest();
    if (!entries_.Next(entry)) return false;
    // Every known entry is read once, so the time is linear.
    while (!known_bytes_.empty() && known_entry_.name < entry.name) NextKnown();
    if (known_bytes_.empty() || known_entry_.name != entry.name) return true;
    const bool is_known = StartsWith(before, known_bytes_);
    NextKnown();
    if (!is_known) return true;
  }
}

CommitLinks ParseCommitLinks(ByteView content, ObjectFormat format) {
  CommitLinks links;
  std::string_view rest = AsText(content);
  std::string_view line;
  while (NextHeaderLine(rest, line)) {
    if (line.starts_with("tree ") && links.tree.empty()) {
      links.tree = ParseId(line.substr(5), format);
    } else if (line.starts_with("parent ")) {
      const ObjectId parent = ParseId(line.substr(7), format);
      if (!parent.empty()) links.parents.push_back(parent);
    } else {
      break;
    }
  }
  return links;
}

uint64_t ParseCommitTime(ByteView content) {
  std::string_view rest = AsText(content);
  std::string_view line;
  if (!NextHeaderLine(rest, line) || !line.starts_with("tree ")) return 0;
  do {
    if (!NextHeaderLine(rest, line)) return 0;
  } while (line.starts_with("parent "));
  if (!line.starts_with("author") || !NextHeaderLine(rest, line) ||
      !line.starts_with("committer") ||
      // Git needs a line feed at the end.
      line.end() == AsText(content).end()) {
    return 0;
  }
  const size_t bracket = line.rfind('>');
  if (bracket == std::string_view::npos) return 0;
  const size_t start = line.find_first_not_of(" \t\r", bracket + 1);
  if (start == std::string_view::npos) return 0;
  line.remove_prefix(start);
  const bool negative = line.starts_with('-');
  if (negative) line.remove_prefix(1);
  uint64_t time = 0;
  const auto [end, error] =
      std::from_chars(line.data(), line.data() + line.size(), time);
  if (error == std::errc::result_out_of_range) {
    return std::numeric_limits<uint64_t>::max();
  }
  return negative ? -time : time;
}

TagHeader ParseTagHeader(ByteView content, ObjectFormat format) {
  TagHeader header;
  std::string_view rest = AsText(content);
  std::string_view line;
  if (!NextHeaderLine(rest, line) || !line.starts_with("object "))
    return header;
  header.target = ParseId(line.substr(7), format);
  if (!NextHeaderLine(rest, line) || !line.starts_with("type ")) return header;
  header.type = line.substr(5);
  if (!NextHeaderLine(rest, line) || !line.starts_with("tag ")) return header;
  const std::string_view name = line.substr(4);
  header.name = name.substr(0, name.find('\0'));
  return header;
}

ObjectId ParseTagTarget(ByteView content, ObjectFormat format) {
  return ParseTagHeader(content, format).target;
}

void AppendLinks(ObjectType type, ByteView content, ObjectFormat format,
                 std::vector<ObjectId>& out) {
  if (type == ObjectType::kCommit) {
    const CommitLinks links = ParseCommitLinks(content, format);
    out.push_back(links.tree);
    out.insert(out.end(), links.parents.begin(), links.parents.end());
  } else if (type == ObjectType::kTag) {
    out.push_back(ParseTagTarget(content, format));
  } else if (type == ObjectType::kTree) {
    TreeIterator entries(content, format);
    TreeEntry entry;
    while (entries.Next(entry)) {
      if (!entry.is_gitlink()) out.emplace_back(entry.id);
    }
  }
}

}  // namespace zpack
