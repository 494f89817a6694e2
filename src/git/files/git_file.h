// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The small files that hold the path of a git directory or of a work tree
// (gitrepository-layout(5)). Functions without state; any thread.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "zpack/result.h"

namespace zpack {

// The text of the file up to the first zero byte, without line ends at its end.
// Errors as ReadWholeFile, with a limit of 1 MiB.
Result<std::string> ReadPathFile(const std::filesystem::path& path);

// The git directory that the file '.git' of a work tree names, as it stands
// there: it may be relative to the directory of the file. Nothing if the file
// is of another kind or above the limit. Other errors as ReadPathFile.
Result<std::optional<std::filesystem::path>> ReadGitFile(
    const std::filesystem::path& path);

}  // namespace zpack
