// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists a directory. No other function of the program does: the iterators of
// the standard library throw in loops. A function without state; any thread.

#pragma once

#include <filesystem>
#include <vector>

#include "zpack/result.h"

namespace zpack::cli {

// The paths of the entries of `directory`, in no order. kIo if they cannot all
// be read.
Result<std::vector<std::filesystem::path>> ListPaths(
    const std::filesystem::path& directory);

}  // namespace zpack::cli
