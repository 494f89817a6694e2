// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "other_names.h"

#include <array>
#include <utility>

namespace zpack::cli {

std::string_view CommandsLike(std::string_view typed) {
  constexpr std::string_view kList = "'list-refs', 'ls-tree' or 'list-files'";
  constexpr std::string_view kGit = "'exec <file> git ...'";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 19>
      kNames = {{{"backup", "'convert'"},
                 {"blame", kGit},
                 {"cat", "'cat-file'"},
                 {"check", "'verify'"},
                 {"checkout", "'restore' or 'archive'"},
                 {"clone", "'restore' or 'git clone zpack::<file>'"},
                 {"create", "'convert'"},
                 {"extract", "'restore'"},
                 {"fsck", "'verify'"},
                 {"gc", "'repack'"},
                 {"info", "'show'"},
                 {"list", kList},
                 {"ls", kList},
                 {"pack", "'convert'"},
                 {"serve", "'http-backend', 'shell' or 'upload-pack'"},
                 {"stats", "'show --stats' or 'report'"},
                 {"test", "'verify'"},
                 {"unpack", "'restore'"},
                 {"update", "'convert --update'"}}};
  for (const auto& [name, commands] : kNames) {
    if (name == typed) return commands;
  }
  return "";
}

}  // namespace zpack::cli
