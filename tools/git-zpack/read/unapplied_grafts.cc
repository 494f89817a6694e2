// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/unapplied_grafts.h"

#include <algorithm>
#include <ostream>

namespace zpack::cli {

void WarnOfGrafts(const ArchiveReader& reader, std::ostream& err) {
  const auto files = reader.Files();
  const auto has_grafts = [](const RepositoryFile& file) {
    return file.name == "info/grafts";
  };
  if (!files || std::ranges::none_of(*files, has_grafts)) return;
  err << "warning: the grafts in 'info/grafts' are not applied; Git applies "
         "them in a restored repository\n";
}

}  // namespace zpack::cli
