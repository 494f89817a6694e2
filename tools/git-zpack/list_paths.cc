// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "list_paths.h"

#include <fmt/format.h>

#include <system_error>

#include "zpack/quote.h"

namespace zpack::cli {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> ListPaths(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::directory_iterator it(directory, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    paths.push_back(it->path());
  }
  if (!error) return paths;
  return std::unexpected(
      Error{ErrorCode::kIo,
            fmt::format("cannot list '{}': {}",
                        QuoteName(directory.native(), kMaxNameInMessage),
                        error.message())});
}

}  // namespace zpack::cli
