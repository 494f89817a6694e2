// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Resolves a name that a user typed. Thread-compatible.

#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack::cli {

// Like Git, warns on `err` if the ref that `name` names is ambiguous.
void WarnIfAmbiguous(const ArchiveReader& reader, std::string_view name,
                     std::ostream& err);

// ArchiveReader::Resolve, with this warning and, for a command that does not
// walk history, that of grafts. If nothing has the name, but HEAD
// has a path of that name, the error also names the path as a revision.
Result<ObjectId> ResolveName(const ArchiveReader& reader,
                             const std::string& name, std::ostream& err);

}  // namespace zpack::cli
