// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/git_file.h"

#include <algorithm>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// Git also refuses a larger file '.git'.
constexpr uint64_t kMaxGitFile = uint64_t{1} << 20;

}  // namespace

Result<std::string> ReadPathFile(const fs::path& path) {
  ZPACK_ASSIGN_OR_RETURN(
      const Bytes content,
      ReadWholeFile(PosixFileSystem(), path.string(), kMaxGitFile));
  std::string text(AsText(content));
  text.resize(text.find_last_not_of("\r\n") + 1);
  // As in Git, a zero byte ends the path.
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

Result<std::optional<fs::path>> ReadGitFile(const fs::path& path) {
  const Result<std::string> text = ReadPathFile(path);
  if (!text && text.error().code != ErrorCode::kLimitExceeded) {
    return std::unexpected(text.error());
  }
  if (!text) return std::nullopt;
  std::string_view target = *text;
  if (!SkipPrefix("gitdir: ", target)) return std::nullopt;
  return fs::path(target);
}

}  // namespace zpack
