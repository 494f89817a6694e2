// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "exec/cached_repository.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <vector>

#include "list_paths.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

// A file in the repository: a line for each pack, one for packed-refs if there
// is one, and at the end, which is lost if the file is cut off, the name of the
// repository.
constexpr const char* kSeal = "zpack-seal";

// Git rewrites this file, and never removes it: without it there are no refs.
constexpr const char* kPackedRefs = "packed-refs";

std::unexpected<Error> CannotUse(const fs::path& path, std::string_view why) {
  return std::unexpected(
      Error{ErrorCode::kIo,
            fmt::format("cannot use '{}' as cache: {}",
                        QuoteName(path.native(), kMaxNameInMessage), why)});
}

bool IsDirectoryOfThisUser(const struct stat& status) {
  return S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

// The names and sizes of the packs and their indexes.
Result<std::set<std::string>> PackLines(const fs::path& repository) {
  const auto paths = ListPaths(repository / "objects/pack");
  if (!paths) return std::unexpected(paths.error());
  std::set<std::string> lines;
  for (const fs::path& path : *paths) {
    if (path.extension() != ".pack" && path.extension() != ".idx") continue;
    std::error_code error;
    const uintmax_t size = fs::file_size(path, error);
    lines.insert(fmt::format("{} {}", path.filename().native(),
                             error ? uintmax_t{0} : size));
  }
  return lines;
}

// Anything else could block who opens it.
bool IsRegularFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

// Whether all that is below is a regular file or a directory. Git, too, opens
// whatever has the name of a ref.
bool HasOnlyFiles(const fs::path& directory) {
  std::vector<fs::path> left = {directory};
  while (!left.empty()) {
    const auto paths = ListPaths(left.back());
    left.pop_back();
    if (!paths) return false;
    for (const fs::path& path : *paths) {
      std::error_code error;
      const fs::file_status status = fs::symlink_status(path, error);
      if (fs::is_directory(status)) {
        left.push_back(path);
      } else if (!fs::is_regular_file(status)) {
        return false;
      }
    }
  }
  return true;
}

// Whether a file of refs ends as Git ends it.
bool EndsWithLine(const fs::path& path) {
  if (!IsRegularFile(path)) return false;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  return in && in.tellg() > 0 && in.seekg(-1, std::ios::end) &&
         in.get() == '\n';
}

}  // namespace

Status MakeCacheDirectory(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    return std::unexpected(Error{
        ErrorCode::kIo, fmt::format("unable to create '{}': {}",
                                    QuoteName(path.native(), kMaxNameInMessage),
                                    error.message())});
  }
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !IsDirectoryOfThisUser(status)) {
    return CannotUse(path,
                     "it belongs to another user; XDG_CACHE_HOME names "
                     "another place");
  }
  constexpr mode_t kOnlyThisUser = 0700;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
      chmod(path.c_str(), kOnlyThisUser) != 0) {
    return CannotUse(path, "other users may write to it");
  }
  return {};
}

Status SealRepository(const fs::path& repository, const std::string& name) {
  const auto packs = PackLines(repository);
  if (!packs) return std::unexpected(packs.error());
  std::ofstream out(repository / kSeal, std::ios::binary | std::ios::trunc);
  for (const std::string& line : *packs) out << line << '\n';
  if (IsRegularFile(repository / kPackedRefs)) out << kPackedRefs << '\n';
  out << name << '\n';
  out.close();
  if (out) return {};
  return CannotUse(repository, "it cannot be written");
}

bool IsSealed(const fs::path& repository, const std::string& name) {
  struct stat status{};
  if (lstat(repository.c_str(), &status) != 0 ||
      !IsDirectoryOfThisUser(status) ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return false;
  }
  if (!IsRegularFile(repository / kSeal) || !HasOnlyFiles(repository)) {
    return false;
  }
  std::ifstream in(repository / kSeal, std::ios::binary);
  // A command may have replaced a pack together with its index, but leaves no
  // part of either.
  const auto packs = PackLines(repository);
  if (!packs) return false;
  std::error_code error;
  bool has_packed_refs =
      fs::exists(fs::symlink_status(repository / kPackedRefs, error));
  std::string line;
  while (std::getline(in, line) && line != name) {
    if (packs->contains(line)) continue;
    if (line == kPackedRefs) {
      has_packed_refs = true;
      continue;
    }
    fs::path file =
        repository / "objects/pack" / line.substr(0, line.find(' '));
    for (const char* const extension : {".pack", ".idx"}) {
      if (fs::exists(file.replace_extension(extension), error)) return false;
    }
  }
  if (line != name) return false;
  return EndsWithLine(repository / "HEAD") &&
         (!has_packed_refs || EndsWithLine(repository / kPackedRefs));
}

}  // namespace zpack::cli
