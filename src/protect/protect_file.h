// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Adds parity to a file. Functions without state; any thread.

#pragma once

#include <string>

#include "base/file.h"
#include "zpack/parity.h"
#include "zpack/result.h"

namespace zpack {

// The name of the parity beside the file at `path`.
std::string ParityPathOf(const std::string& path);

// As Protect, through `file_system`.
Result<ProtectStats> ProtectFile(FileSystem& file_system,
                                 const std::string& path,
                                 const ProtectOptions& options);

}  // namespace zpack
