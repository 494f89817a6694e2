// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "temporary_directory.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "zpack/quote.h"

namespace zpack::cli {

std::string DirectoryForTemporaries() {
  const char* const given = getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

Result<TemporaryDirectory> TemporaryDirectory::Create() {
  const std::string parent = DirectoryForTemporaries();
  std::string path = parent + "/git-zpack-XXXXXX";
  if (mkdtemp(path.data()) != nullptr) return TemporaryDirectory(path);
  return std::unexpected(
      Error{ErrorCode::kIo,
            fmt::format("cannot create a temporary directory in '{}': {}",
                        QuoteName(parent, kMaxNameInMessage),
                        std::generic_category().message(errno))});
}

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) return;
  // A program that was just ended may still create a file.
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (error) std::filesystem::remove_all(path_, error);
}

}  // namespace zpack::cli
