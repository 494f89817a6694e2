// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/path_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "zpack/quote.h"
#include "zpack/tree_path.h"

namespace zpack::cli {
namespace {

std::unexpected<Error> BadPath(std::string_view path, std::string_view why) {
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument,
            fmt::format("'{}' {}", QuoteName(path, kMaxNameInMessage), why)});
}

Result<std::string> NormalPath(std::string_view path) {
  if (path.empty()) return BadPath(path, "is not a valid path");
  if (path.front() == '/') return BadPath(path, "is outside the tree");
  if (path.front() == ':') {
    return BadPath(path, "is a pathspec with magic, which is not supported");
  }
  auto normal = NormalTreePath(path);
  if (!normal) return BadPath(path, "is outside the tree");
  return *std::move(normal);
}

}  // namespace

Result<PathFilter> PathFilter::Parse(const std::vector<std::string>& paths) {
  PathFilter filter;
  for (const std::string& path : paths) {
    auto normal = NormalPath(path);
    if (!normal) return std::unexpected(normal.error());
    filter.paths_.push_back(*std::move(normal));
  }
  return filter;
}

bool PathFilter::Passes(size_t index, const TreeItem& item,
                        std::string_view base) const {
  std::string_view path = paths_[index];
  if (path.empty()) return true;
  // The directory `base` is inside the path, or is the path.
  if (base.starts_with(path) &&
      (path.back() == '/' || base[path.size()] == '/')) {
    return true;
  }
  if (!path.starts_with(base)) return false;
  path.remove_prefix(base.size());
  if (!path.starts_with(item.name)) return false;
  path.remove_prefix(item.name.size());
  if (path.empty()) return true;
  if (path.front() != '/') return false;
  return item.is_tree() || (item.is_submodule() && path == "/");
}

bool PathFilter::Passes(const TreeItem& item, std::string_view base) const {
  if (paths_.empty()) return true;
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (Passes(i, item, base)) return true;
  }
  return false;
}

bool PathFilter::LeadsInto(const TreeItem& item, std::string_view base) const {
  return std::ranges::any_of(paths_, [&](std::string_view path) {
    if (!path.starts_with(base)) return false;
    path.remove_prefix(base.size());
    return path.starts_with(item.name) && path.size() > item.name.size() &&
           path[item.name.size()] == '/';
  });
}

}  // namespace zpack::cli
