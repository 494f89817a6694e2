// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/served_file.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>

#include <cstdlib>
#include <vector>

#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr const char* kSuffix = ".zpack";

bool IsRegularFile(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Returns the home directory of a user; of this user if `user` is empty.
Result<std::string> HomeOf(const std::string& user) {
  if (user.empty()) {
    const char* const home = getenv("HOME");
    if (home != nullptr && *home != '\0') return home;
    return std::unexpected(
        Error{ErrorCode::kNotFound, "cannot expand '~': HOME is not set"});
  }
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(size_t{1} << 16);
  const int error =
      getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (error == 0 && found != nullptr) return entry.pw_dir;
  return std::unexpected(
      Error{ErrorCode::kNotFound,
            fmt::format("cannot expand '~{}': there is no such user",
                        QuoteName(user, kMaxNameInMessage))});
}

}  // namespace

Result<std::string> FindServedFile(const std::string& path) {
  std::string found = path;
  if (path.starts_with('~')) {
    const size_t end = std::min(path.find('/'), path.size());
    auto home = HomeOf(path.substr(1, end - 1));
    if (!home) return home;
    found = *home + path.substr(end);
  }
  while (found.size() > 1 && found.ends_with('/')) found.pop_back();
  if (!IsRegularFile(found) && IsRegularFile(found + kSuffix)) found += kSuffix;
  return found;
}

}  // namespace zpack::cli
