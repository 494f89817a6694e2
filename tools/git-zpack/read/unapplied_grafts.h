// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Grafts, which give commits other parents in Git alone. Thread-compatible.

#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "zpack/archive_reader.h"

namespace zpack::cli {

// Warns on `err` if the file has grafts, or a list of grafts that cannot be
// read. Without a readable table of files, does nothing.
void WarnOfGrafts(const ArchiveReader& reader, std::ostream& err);

// The same if one of these names of objects depends on the parents of commits.
// For commands that do not walk history.
void WarnOfGrafts(const ArchiveReader& reader,
                  std::span<const std::string> names, std::ostream& err);

}  // namespace zpack::cli
