// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that a command writes for people, such as an archive or a page.
// Functions without state; one thread.

#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

#include "cli.h"

namespace zpack::cli {

// Calls `write` with a stream for `path`. `write` returns the command's exit
// code. A regular file is replaced once `write` has returned kDone, keeps its
// permissions, and is left as it was otherwise. Anything else, such as a pipe,
// is written to directly. Returns the exit code, after a message if the file
// cannot be created.
int WriteOutputFile(std::filesystem::path path, const Io& io,
                    const std::function<int(std::ostream&)>& write);

}  // namespace zpack::cli
