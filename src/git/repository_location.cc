// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_location.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "git/config/configuration_values.h"
#include "git/files/git_file.h"
#include "git/ownership.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

enum class Links : uint8_t { kFollow, kKeep };

// The status of `path`. Nothing if nothing has that name.
Result<std::optional<struct stat>> Examine(const fs::path& path,
                                           Links links = Links::kFollow) {
  struct stat status{};
  const int failed = links == Links::kFollow ? stat(path.c_str(), &status)
                                             : lstat(path.c_str(), &status);
  if (failed == 0) return status;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  return std::unexpected(IoError("access", path.string(), errno));
}

Result<bool> IsDirectory(const fs::path& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto status, Examine(path));
  return status && S_ISDIR(status->st_mode);
}

// The git directory of a linked work tree names the common directory.
Result<fs::path> CommonDirectory(const fs::path& git_directory) {
  const fs::path file = git_directory / "commondir";
  ZPACK_ASSIGN_OR_RETURN(const auto status, Examine(file));
  if (!status) return git_directory;
  ZPACK_ASSIGN_OR_RETURN(const std::string text, ReadPathFile(file));
  if (status->st_size == 0) {
    return MakeError(ErrorCode::kGit, "failed to read '{}': it is empty",
                     AtPath{file.string()});
  }
  return git_directory / text;
}

// Whether Git takes the file for a HEAD: it begins with the id of an object, of
// either format, or points below 'refs/', as a text or a symbolic link. What
// follows is not checked.
Result<bool> IsHead(const fs::path& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto status, Examine(path, Links::kKeep));
  if (!status) return false;
  std::error_code error;
  if (S_ISLNK(status->st_mode)) {
    return fs::read_symlink(path, error).string().starts_with("refs/");
  }
  // As much as Git reads.
  constexpr uint64_t kMaxStart = 255;
  ZPACK_ASSIGN_OR_RETURN(const auto file,
                         PosixFileSystem().OpenForRead(path.string()));
  Bytes start(std::min(file->size(), kMaxStart));
  ZPACK_TRY(file->Read(0, start));
  std::string_view text = AsText(start);
  const size_t digits = 2 * ObjectIdWidth(ObjectFormat::kSha1);
  if (!SkipPrefix("ref:", text)) {
    return ObjectId::FromHex(text.substr(0, digits)).has_value();
  }
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n\r"), text.size()));
  return text.starts_with("refs/");
}

// A git directory has HEAD, objects and refs.
Result<bool> IsGitDirectory(const fs::path& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto head, Examine(path / "HEAD", Links::kKeep));
  if (!head) return false;
  ZPACK_ASSIGN_OR_RETURN(const fs::path common, CommonDirectory(path));
  ZPACK_ASSIGN_OR_RETURN(const bool objects, IsDirectory(common / "objects"));
  ZPACK_ASSIGN_OR_RETURN(const bool refs, IsDirectory(common / "refs"));
  if (!objects || !refs) return false;
  return IsHead(path / "HEAD");
}

// The git directory that the file `path` names. Nothing if the file is of
// another kind.
Result<std::optional<fs::path>> FollowGitFile(const fs::path& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto target, ReadGitFile(path));
  if (!target) return std::nullopt;
  ZPACK_ASSIGN_OR_RETURN(const bool good,
                         IsGitDirectory(path.parent_path() / *target));
  if (good) return path.parent_path() / *target;
  return MakeError(ErrorCode::kNotFound,
                   "not a git repository: '{}', which '{}' names",
                   target->string(), AtPath{path.string()});
}

using Found = std::optional<RepositoryPaths>;

// The repository at `path` itself. `path` is absolute.
Result<Found> Look(const fs::path& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto status, Examine(path));
  if (!status) return std::nullopt;
  if (S_ISREG(status->st_mode)) {
    ZPACK_ASSIGN_OR_RETURN(const auto target, FollowGitFile(path));
    if (!target) return std::nullopt;
    const fs::path work_tree =
        path.filename() == ".git" ? path.parent_path() : fs::path();
    return RepositoryPaths{path, work_tree, *target};
  }
  const fs::path inside = path / ".git";
  ZPACK_ASSIGN_OR_RETURN(const auto dot_git, Examine(inside));
  if (dot_git && S_ISREG(dot_git->st_mode)) {
    ZPACK_ASSIGN_OR_RETURN(const auto target, FollowGitFile(inside));
    if (target) return RepositoryPaths{inside, path, *target};
    return MakeError(ErrorCode::kGit, "invalid gitfile format: '{}'",
                     inside.string());
  }
  ZPACK_ASSIGN_OR_RETURN(const bool holds, IsGitDirectory(inside));
  if (holds) return RepositoryPaths{"", path, inside};
  ZPACK_ASSIGN_OR_RETURN(const bool bare, IsGitDirectory(path));
  if (bare) return RepositoryPaths{"", "", path};
  return std::nullopt;
}

// Directories at which the search upwards stops. Links are resolved in entries
// before an empty entry, and kept in entries after it.
std::vector<fs::path> CeilingDirectories() {
  std::vector<fs::path> ceilings;
  const char* const value = std::getenv("GIT_CEILING_DIRECTORIES");
  if (value == nullptr) return ceilings;
  Links links = Links::kFollow;
  std::string_view rest = value;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const fs::path entry(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (entry.empty()) links = Links::kKeep;
    if (!entry.is_absolute()) continue;
    std::error_code error;
    const fs::path path = links == Links::kFollow ? fs::canonical(entry, error)
                                                  : entry.lexically_normal();
    if (error) continue;
    ceilings.push_back(path.has_filename() ? path : path.parent_path());
  }
  return ceilings;
}

struct Search {
  Found found;
  // The root of the start's file system, if the search ended there.
  fs::path mount_point;
};

// Searches `start` and the directories above it.
Result<Search> Discover(const fs::path& start) {
  const std::vector<fs::path> ceilings = CeilingDirectories();
  ZPACK_ASSIGN_OR_RETURN(
      const bool may_cross,
      EnvironmentBool("GIT_DISCOVERY_ACROSS_FILESYSTEM", false));
  ZPACK_ASSIGN_OR_RETURN(const auto first, Examine(start));
  for (fs::path at = start;; at = at.parent_path()) {
    ZPACK_ASSIGN_OR_RETURN(Found found, Look(at));
    const fs::path above = at.parent_path();
    if (found || above == at ||
        std::ranges::find(ceilings, above) != ceilings.end()) {
      return Search{std::move(found), ""};
    }
    ZPACK_ASSIGN_OR_RETURN(const auto status, Examine(above));
    if (!may_cross && first && status && status->st_dev != first->st_dev) {
      return Search{std::nullopt, at};
    }
  }
}

// The error for a search from `path` that found nothing.
Error NothingAbove(const std::string& path, const fs::path& mount_point) {
  if (mount_point.empty()) {
    return {ErrorCode::kNotFound,
            FormatMessage("not a git repository (or any of the parent "
                          "directories): '{}'",
                          path)};
  }
  return {ErrorCode::kNotFound,
          FormatMessage("not a git repository (or any parent up to mount point "
                        "'{}'): '{}'; stopping at filesystem boundary "
                        "(GIT_DISCOVERY_ACROSS_FILESYSTEM not set)",
                        mount_point.string(), path)};
}

// The error if `absolute` is not a repository. Names the repository around it,
// in case the user meant that.
Error NotItself(const std::string& path, const fs::path& absolute) {
  const Result<Search> around = Discover(absolute);
  std::error_code error;
  if (!around || !around->found) {
    const bool has_head = fs::is_directory(absolute / "objects", error) &&
                          fs::exists(absolute / "HEAD", error);
    return {
        ErrorCode::kNotFound,
        FormatMessage("not a git repository: '{}'{}", path,
                      MessageText{has_head ? ", whose HEAD is damaged" : ""})};
  }
  return {
      ErrorCode::kNotFound,
      FormatMessage("not a git repository: '{}'; the one around it is '{}', "
                    "which --discover finds",
                    path, around->found->git_directory)};
}

Result<Found> Find(const std::string& path, const fs::path& absolute,
                   Discovery discovery) {
  if (discovery == Discovery::kUpwards) {
    ZPACK_ASSIGN_OR_RETURN(Search search, Discover(absolute));
    if (search.found) return std::move(search.found);
    return std::unexpected(NothingAbove(path, search.mount_point));
  }
  ZPACK_ASSIGN_OR_RETURN(Found found, Look(absolute));
  if (found) return found;
  return std::unexpected(NotItself(path, absolute));
}

Result<std::string> Canonical(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  if (!error) return canonical.string();
  return std::unexpected(IoError("access", path.string(), error.value()));
}

// The current directory, by the name in $PWD if that is right.
std::string CurrentDirectory() {
  std::error_code error;
  std::string current = fs::current_path(error).string();
  const char* const named = std::getenv("PWD");
  if (named != nullptr && fs::equivalent(named, current, error) && !error) {
    return named;
  }
  return current;
}

// RepositoryLocation::named, of a repository that was looked for at `path`.
// Relative names are those that Git has in the current directory.
std::string NameOf(const std::string& path, const RepositoryPaths& found) {
  if (!found.git_file.empty()) return "";
  std::error_code error;
  fs::path name = path;
  if (!fs::equivalent(name, found.git_directory, error)) {
    name /= ".git";
    if (!fs::equivalent(name, found.git_directory, error)) return "";
    if (path == ".") name = ".git";
  }
  if (name.is_absolute()) return name.string();
  const std::string current = CurrentDirectory();
  return current + (current.ends_with('/') ? "" : "/") + name.string();
}

}  // namespace

Result<RepositoryLocation> FindRepository(const std::string& path,
                                          Discovery discovery) {
  std::error_code error;
  // Without links, so that the search goes up the real path.
  const fs::path absolute = fs::canonical(path, error);
  if (path.empty() || error == std::errc::no_such_file_or_directory ||
      error == std::errc::not_a_directory) {
    return MakeError(ErrorCode::kNotFound,
                     "not a git repository: '{}', which does not exist",
                     AtPath{path});
  }
  if (error) return std::unexpected(IoError("access", path, error.value()));
  ZPACK_ASSIGN_OR_RETURN(const Found found, Find(path, absolute, discovery));
  ZPACK_TRY(CheckOwnership(*found));
  RepositoryLocation location;
  location.name = path;
  location.work_tree = found->work_tree;
  location.named = NameOf(path, *found);
  ZPACK_ASSIGN_OR_RETURN(location.git_directory,
                         Canonical(found->git_directory));
  ZPACK_ASSIGN_OR_RETURN(const fs::path common,
                         CommonDirectory(location.git_directory));
  ZPACK_ASSIGN_OR_RETURN(location.common_directory, Canonical(common));
  return location;
}

RepositoryLocation MainLocation(const RepositoryLocation& location) {
  RepositoryLocation main = location;
  main.name = location.common_directory;
  main.git_directory = location.common_directory;
  if (location.git_directory != location.common_directory) main.named.clear();
  return main;
}

}  // namespace zpack
