// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Resolves a name that a user typed. Thread-compatible.

#pragma once

#include <string>

#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack::cli {

// ArchiveReader::Resolve. If nothing has the name, but HEAD has a path of that
// name, the error also names the path as a revision.
Result<ObjectId> ResolveName(const ArchiveReader& reader,
                             const std::string& name);

}  // namespace zpack::cli
