// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Repairs a file with its parity. A function without state; any thread.

#pragma once

#include <string>

#include "base/file.h"
#include "zpack/parity.h"
#include "zpack/result.h"

namespace zpack {

// As Repair, through `file_system`.
Result<RepairReport> RepairFile(FileSystem& file_system,
                                const std::string& path,
                                const RepairOptions& options);

}  // namespace zpack
