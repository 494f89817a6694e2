// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Names the next file of 'convert --onto-latest'. A function without state; any
// thread.

#pragma once

#include <optional>
#include <string>

namespace zpack::cli {

struct NextFile {
  std::string path;
  std::optional<std::string> onto;  // the file before it, if there is one
};

// The next file of `repository`, a path or a URL, in `directory`:
// NAME.0007.zpack after NAME.0006.zpack, and NAME.0000.zpack if there is none,
// where NAME is that of the repository. Throws CommandFailure if the directory
// cannot be listed, or if no file can depend on one of that name.
NextFile NextFileIn(const std::string& directory,
                    const std::string& repository);

}  // namespace zpack::cli
