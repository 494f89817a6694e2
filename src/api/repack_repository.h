// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Repack with the file system as a parameter.

#pragma once

#include <string>

#include "base/file.h"
#include "zpack/repack.h"

namespace zpack {

// Like Repack.
Result<RepackStats> RepackRepository(FileSystem& file_system,
                                     const std::string& repository,
                                     const RepackOptions& options);

}  // namespace zpack
