// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/tree_walk.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "zpack/tree_path.h"

namespace zpack::cli {
namespace {

// Git's default of core.maxTreeDepth.
constexpr size_t kMaxDepth = 2048;
constexpr size_t kMaxPath = size_t{256} << 10;

// A directory on the way to the current entry.
class OpenTree {
 public:
  OpenTree(std::vector<uint8_t> content, ObjectFormat format, size_t base_size)
      : content_(std::move(content)),
        items_(content_, format),
        base_size_(base_size) {}
  OpenTree(const OpenTree&) = delete;
  OpenTree& operator=(const OpenTree&) = delete;

  TreeItems& items() { return items_; }
  size_t base_size() const { return base_size_; }

 private:
  std::vector<uint8_t> content_;
  TreeItems items_;
  size_t base_size_;  // of the directory's path, in bytes
};

}  // namespace

Result<std::vector<uint8_t>> ReadTree(const ArchiveReader& reader,
                                      const ObjectId& id) {
  auto object = reader.Read(id);
  if (!object) return std::unexpected(object.error());
  if (object->type != ObjectType::kTree) {
    return std::unexpected(
        Error{ErrorCode::kCorrupt,
              fmt::format("object {} is a {}, not a tree", id.ToHex(),
                          ObjectTypeName(object->type))});
  }
  return std::move(object->content);
}

ObjectType TreeItem::type() const {
  if (is_tree()) return ObjectType::kTree;
  return is_submodule() ? ObjectType::kCommit : ObjectType::kBlob;
}

Result<bool> TreeItems::Next(TreeItem& item) {
  const std::string_view text(reinterpret_cast<const char*>(content_.data()),
                              content_.size());
  if (at_ == text.size()) return false;
  uint32_t mode = 0;
  size_t end = at_;
  while (end < text.size() && text[end] >= '0' && text[end] <= '7') {
    mode = mode << 3 | static_cast<uint32_t>(text[end] - '0');
    ++end;
  }
  const size_t nul = text.find('\0', end);
  if (end == at_ || end == text.size() || text[end] != ' ' ||
      nul == std::string_view::npos || nul == end + 1 ||
      text.size() - nul - 1 < width_) {
    return std::unexpected(Error{
        ErrorCode::kCorrupt, fmt::format("malformed tree at byte {}", at_)});
  }
  item.mode = CanonicalMode(mode);
  item.name = text.substr(end + 1, nul - end - 1);
  item.id = ObjectId(content_.subspan(nul + 1, width_));
  at_ = nul + 1 + width_;
  return true;
}

Status WalkTree(const ArchiveReader& reader, const ObjectId& tree,
                const std::function<Result<Descend>(
                    const TreeItem& item, std::string_view base)>& visit) {
  std::vector<std::unique_ptr<OpenTree>> open;
  std::string base;
  const auto enter = [&](const ObjectId& id) -> Status {
    if (open.size() == kMaxDepth || base.size() > kMaxPath) {
      return std::unexpected(
          Error{ErrorCode::kLimitExceeded,
                fmt::format("tree {} is too deep", tree.ToHex())});
    }
    auto content = ReadTree(reader, id);
    if (!content) return std::unexpected(content.error());
    open.push_back(std::make_unique<OpenTree>(
        *std::move(content), reader.object_format(), base.size()));
    return {};
  };
  if (Status entered = enter(tree); !entered) return entered;
  TreeItem item;
  while (!open.empty()) {
    base.resize(open.back()->base_size());
    const auto more = open.back()->items().Next(item);
    if (!more) return std::unexpected(more.error());
    if (!*more) {
      open.pop_back();
      continue;
    }
    const auto descend = visit(item, base);
    if (!descend) return std::unexpected(descend.error());
    if (!item.is_tree() || *descend == Descend::kSkip) continue;
    base += item.name;
    base += '/';
    if (Status entered = enter(item.id); !entered) return entered;
  }
  return {};
}

}  // namespace zpack::cli
