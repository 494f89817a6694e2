// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "ref_directories.h"

#include <algorithm>
#include <array>
#include <utility>

namespace zpack::mount {
namespace {

constexpr std::array<std::pair<std::string_view, size_t>, 2> kShown = {
    {{"refs/heads/", RefDirectories::kBranches},
     {"refs/tags/", RefDirectories::kTags}}};

constexpr uint32_t kDirectoryMode = 0040000;

// The parts of a path between slashes.
std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

RefDirectories::RefDirectories(const RefsSnapshot& refs) : directories_(2) {
  for (const Ref& ref : refs.refs) {
    for (const auto& [prefix, directory] : kShown) {
      if (!ref.name.starts_with(prefix)) continue;
      const Ref* const last = refs.Find(refs.ResolveName(ref.name));
      const std::string_view path =
          std::string_view(ref.name).substr(prefix.size());
      if (last == nullptr || last->symbolic() || !Add(directory, path, *last)) {
        ++hidden_;
      }
    }
  }
}

bool RefDirectories::Add(size_t directory, std::string_view path,
                         const Ref& ref) {
  std::vector<std::string_view> parts = PartsOf(path);
  if (!std::ranges::all_of(parts, CanShow)) return false;
  const std::string_view last = parts.back();
  parts.pop_back();
  for (const std::string_view part : parts) {
    const auto known = directories_[directory].find(part);
    if (known == directories_[directory].end()) {
      const size_t next = directories_.size();
      directories_[directory].emplace(part, Entry{.directory = next});
      directories_.emplace_back();
      directory = next;
    } else if (known->second.directory) {
      directory = *known->second.directory;
    } else {
      return false;
    }
  }
  return directories_[directory].emplace(last, Entry{.ref = &ref}).second;
}

std::optional<RefDirectories::Entry> RefDirectories::Find(
    size_t directory, std::string_view name) const {
  const auto at = directories_[directory].find(name);
  if (at == directories_[directory].end()) return std::nullopt;
  return at->second;
}

DirectoryListing RefDirectories::List(size_t directory) const {
  std::vector<ListedEntry> entries;
  entries.reserve(directories_[directory].size());
  for (const auto& [name, entry] : directories_[directory]) {
    entries.push_back({name, entry.directory ? kDirectoryMode : 0, {}});
  }
  return DirectoryListing(std::move(entries));
}

}  // namespace zpack::mount
