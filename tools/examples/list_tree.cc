// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists the entries of HEAD's root tree and prints the first file in it:
//
//   list_tree FILE

#include <zpack/archive_reader.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace {

using Content = std::vector<uint8_t>;

struct Entry {
  std::string_view mode;
  std::string_view name;
  zpack::ObjectId id;
};

std::string_view Text(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A tree is a sequence of "<mode> <name>\0<id>". The views refer to `tree`.
// Nothing if the tree is malformed.
std::optional<std::vector<Entry>> ParseTree(const Content& tree,
                                            zpack::ObjectFormat format) {
  const size_t width = zpack::ObjectIdWidth(format);
  std::vector<Entry> entries;
  std::span<const uint8_t> rest = tree;
  while (!rest.empty()) {
    const std::string_view text = Text(rest);
    const size_t end = text.find('\0');
    const size_t space = text.substr(0, end).find(' ');
    if (end == text.npos || space == text.npos ||
        rest.size() < end + 1 + width) {
      return std::nullopt;
    }
    entries.push_back({text.substr(0, space),
                       text.substr(space + 1, end - space - 1),
                       zpack::ObjectId(rest.subspan(end + 1, width))});
    rest = rest.subspan(end + 1 + width);
  }
  return entries;
}

zpack::Status ListHead(const zpack::ArchiveReader& reader) {
  const auto head = reader.Resolve("HEAD");
  if (!head) return std::unexpected(head.error());
  const auto commit = reader.Read(*head);
  if (!commit) return std::unexpected(commit.error());
  // A commit begins with "tree <hexadecimal id>\n".
  const size_t digits = 2 * zpack::ObjectIdWidth(reader.object_format());
  const auto tree_id = zpack::ObjectId::FromHex(
      Text(commit->content).substr(0, 5 + digits).substr(5));
  if (!tree_id) {
    return std::unexpected(
        zpack::Error{zpack::ErrorCode::kCorrupt, "malformed commit"});
  }
  const auto tree = reader.Read(*tree_id);
  if (!tree) return std::unexpected(tree.error());
  const auto entries = ParseTree(tree->content, reader.object_format());
  if (!entries) {
    return std::unexpected(
        zpack::Error{zpack::ErrorCode::kCorrupt, "malformed tree"});
  }
  for (const Entry& entry : *entries) {
    std::cout << entry.mode << ' ' << entry.id.ToHex() << ' ' << entry.name
              << '\n';
  }
  const auto file = std::ranges::find_if(*entries, [](const Entry& entry) {
    return entry.mode.starts_with("100");
  });
  if (file == entries->end()) return {};
  const auto blob = reader.Read(file->id);
  if (!blob) return std::unexpected(blob.error());
  std::cout << Text(blob->content);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 129;
  const auto reader = zpack::ArchiveReader::Open(argv[1], {});
  if (!reader) {
    std::cerr << reader.error().message << '\n';
    return 128;
  }
  const zpack::Status listed = ListHead(**reader);
  if (!listed) {
    std::cerr << listed.error().message << '\n';
    return 128;
  }
}
