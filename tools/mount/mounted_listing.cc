// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "mounted_listing.h"

#include <strings.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "read/tree_walk.h"

namespace zpack::mount {
namespace {

constexpr size_t kMaxName = 255;

}  // namespace

bool CanShow(std::string_view name) {
  if (name.empty() || name.size() > kMaxName || name == "." || name == "..") {
    return false;
  }
  if (name.size() == 4 && strncasecmp(name.data(), ".git", 4) == 0) {
    return false;
  }
  return name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

Result<DirectoryListing> DirectoryListing::OfTree(std::vector<uint8_t> content,
                                                  ObjectFormat format) {
  DirectoryListing listing;
  listing.content_ = std::move(content);
  cli::TreeItems items(listing.content_, format);
  cli::TreeItem item;
  while (true) {
    const auto more = items.Next(item);
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    if (CanShow(item.name)) {
      listing.entries_.push_back({item.name, item.mode, item.id});
    } else {
      ++listing.hidden_;
    }
  }
  listing.Index();
  return listing;
}

DirectoryListing::DirectoryListing(std::vector<ListedEntry> entries)
    : entries_(std::move(entries)) {
  Index();
}

void DirectoryListing::Index() {
  by_name_.resize(entries_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  const auto name_of = [&](uint32_t index) { return entries_[index].name; };
  std::ranges::stable_sort(by_name_, {}, name_of);
  const auto repeated = std::ranges::unique(by_name_, {}, name_of);
  if (repeated.empty()) return;
  // Only a hostile tree has one name twice.
  by_name_.erase(repeated.begin(), repeated.end());
  std::ranges::sort(by_name_);
  std::vector<ListedEntry> first;
  first.reserve(by_name_.size());
  for (const uint32_t index : by_name_) first.push_back(entries_[index]);
  hidden_ += entries_.size() - first.size();
  entries_ = std::move(first);
  Index();
}

const ListedEntry* DirectoryListing::Find(std::string_view name) const {
  const auto name_of = [&](uint32_t index) { return entries_[index].name; };
  const auto at = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (at == by_name_.end() || name_of(*at) != name) return nullptr;
  return &entries_[*at];
}

size_t DirectoryListing::memory() const {
  return sizeof(*this) + content_.size() +
         entries_.size() * (sizeof(ListedEntry) + sizeof(uint32_t));
}

}  // namespace zpack::mount
