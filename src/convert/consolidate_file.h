// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Consolidate with the file system as a parameter. A function without state;
// any thread.

#pragma once

#include <string>

#include "base/file.h"
#include "zpack/consolidate.h"
#include "zpack/result.h"

namespace zpack {

// Like Consolidate, without the phases.
Result<ConsolidateStats> ConsolidateFile(FileSystem& file_system,
                                         const std::string& path,
                                         const std::string& output,
                                         const ConsolidateOptions& options);

}  // namespace zpack
