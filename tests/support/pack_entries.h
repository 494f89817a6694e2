// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The entries of a pack, as Git lists them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/repo_builder.h"

namespace zpack::testing {

struct ListedEntry {
  std::string id;
  std::string type;
  size_t size = 0;    // of the object or delta
  size_t stored = 0;  // bytes in the pack
  size_t offset = 0;
  std::string base;  // empty for one that is stored whole
};

// The entries of the pack at `path`, without extension, by their offsets.
inline std::vector<ListedEntry> EntriesOf(const RepoBuilder& repo,
                                          const std::string& path) {
  std::istringstream lines(repo.Git({"verify-pack", "-v", path + ".idx"}));
  std::vector<ListedEntry> entries;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    ListedEntry entry;
    if (!(fields >> entry.id >> entry.type >> entry.size >> entry.stored >>
          entry.offset)) {
      continue;  // what follows the entries
    }
    unsigned depth = 0;
    fields >> depth >> entry.base;
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, &ListedEntry::offset);
  return entries;
}

}  // namespace zpack::testing
