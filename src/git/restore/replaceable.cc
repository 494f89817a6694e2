// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/restore/replaceable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/directory.h"
#include "base/error.h"
#include "git/config/configuration_file.h"
#include "git/files/directory_listing.h"
#include "git/files/file_tree.h"
#include "git/files/git_file.h"

#ifndef STATX_ATTR_MOUNT_ROOT  // musl has statx(2) without this name
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

namespace zpack {
namespace {

namespace fs = std::filesystem;

// The files that Git keeps in a bare repository, and leftovers of a killed
// restore. The documentation of a forced restore says that it replaces the
// configuration, hooks and reflogs. Any other file may be the only copy.
constexpr std::array<std::string_view, 20> kReplaced = {
    "FETCH_HEAD",  "HEAD",           "ORIG_HEAD",
    "branches",    "config",         "config.archived",
    "description", "gc.log",         "gc.pid",
    "hooks",       "info",           "logs",
    "objects",     "packed-refs",    "refs",
    "reftable",    "remotes",        "shallow",
    ".zpack-tmp",  ".zpack-tmp.lock"};

// Directories of Git LFS in which no file is the only copy of anything: known
// locks, parts of downloads, logs of failures, temporary files.
constexpr std::array<std::string_view, 4> kLfsCaches = {
    "lfs/cache/", "lfs/incomplete/", "lfs/logs/", "lfs/tmp/"};

// Decides by the configuration or, if core.bare is not set, by the name, as in
// Git: a '.git' directory belongs to a work tree.
bool IsBareRepository(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path / "HEAD", error) ||
      !fs::is_directory(path / "objects", error) ||
      !fs::is_directory(path / "refs", error)) {
    return false;
  }
  const auto config = ReadConfigurationFile((path / "config").string());
  if (!config) return false;
  const auto bare = config->Bool("core.bare");
  // If the value cannot be parsed, the repository is not replaced.
  return bare && bare->value_or(path.filename() != ".git");
}

// Whether a worktree uses `directory`, an entry of 'worktrees': the file '.git'
// that it names names it. The entries of a restored repository name the
// worktrees of another one. A locked worktree may be on a disk that is away.
bool IsInUse(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory / "locked", error)) return true;
  const auto text = ReadPathFile(directory / "gitdir");
  // A worktree that is not complete may be somebody's.
  if (!text || text->empty()) return true;
  const fs::path link = directory / *text;
  if (!fs::is_regular_file(link, error)) return false;
  const auto named = ReadGitFile(link);
  if (!named) return true;  // it may name this one, but nobody can tell
  return *named &&
         fs::equivalent(link.parent_path() / **named, directory, error);
}

Status WouldBeLost(const std::string& repository, const std::string& name) {
  return MakeError(ErrorCode::kExists,
                   "'{}' holds '{}', which would be lost, so --force does not "
                   "replace it; move that away first",
                   repository, name);
}

// Checks that each object of Git LFS is one of `lfs_objects`, and that 'lfs'
// holds nothing else.
Status CheckLfs(const std::string& repository,
                std::span<const std::string> lfs_objects) {
  ZPACK_ASSIGN_OR_RETURN(const TreeListing tree, ListTree(repository, "lfs"));
  if (!tree.others.empty()) return WouldBeLost(repository, tree.others.front());
  for (const TreeFile& file : tree.files) {
    const bool is_kept =
        std::ranges::binary_search(lfs_objects, file.name) ||
        std::ranges::any_of(kLfsCaches, [&](std::string_view directory) {
          return file.name.starts_with(directory);
        });
    if (!is_kept) return WouldBeLost(repository, file.name);
  }
  return {};
}

// `name` is in the top directory of a repository.
Status CheckEntry(const std::string& repository, const std::string& name,
                  std::span<const std::string> lfs_objects) {
  if (std::ranges::find(kReplaced, name) != kReplaced.end()) return {};
  if (name == "lfs") return CheckLfs(repository, lfs_objects);
  if (name == "worktrees") {
    const fs::path worktrees = fs::path(repository) / name;
    ZPACK_ASSIGN_OR_RETURN(const auto ids, ListNames(worktrees.string()));
    const auto is_in_use = [&](const std::string& id) {
      return IsInUse(worktrees / id);
    };
    if (std::ranges::none_of(ids, is_in_use)) return {};
    return MakeError(ErrorCode::kExists,
                     "'{}' has linked worktrees in '{}', so --force does not "
                     "replace it; remove them first with 'git worktree remove' "
                     "or 'git worktree prune'",
                     repository, name);
  }
  return WouldBeLost(repository, name);
}

// Checks whether this process can remove the content of the directory.
Status CheckRemovable(const fs::path& path) {
  struct statx info;
  if (statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_UID, &info) !=
      0) {
    return std::unexpected(IoError("stat", path.string(), errno));
  }
  if ((info.stx_attributes_mask & info.stx_attributes &
       STATX_ATTR_MOUNT_ROOT) != 0) {
    return MakeError(ErrorCode::kExists,
                     "'{}' is a mount point, so --force does not replace it; "
                     "empty it first, or restore to another directory",
                     AtPath{path.string()});
  }
  // The owner can add a missing permission.
  if (info.stx_uid == geteuid() ||
      faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0) {
    return {};
  }
  return MakeError(ErrorCode::kExists,
                   "'{}' cannot be removed by this user, so --force does not "
                   "replace the repository: {}",
                   AtPath{path.string()},
                   MessageText{std::generic_category().message(errno)});
}

}  // namespace

Status CheckReplaceable(const std::string& path,
                        std::span<const std::string> lfs_objects) {
  if (!IsBareRepository(path)) {
    return MakeError(ErrorCode::kExists,
                     "'{}' is not a bare repository, so --force does not "
                     "replace it",
                     AtPath{path});
  }
  ZPACK_ASSIGN_OR_RETURN(const auto top, ListEntries(path));
  for (const DirectoryEntry& entry : top) {
    ZPACK_TRY(CheckEntry(path, entry.name, lfs_objects));
  }
  std::vector<fs::path> pending = {path};
  while (!pending.empty()) {
    const fs::path directory = std::move(pending.back());
    pending.pop_back();
    ZPACK_TRY(CheckRemovable(directory));
    // The owner can open it before removing it.
    if (faccessat(AT_FDCWD, directory.c_str(), R_OK | X_OK, AT_EACCESS) != 0) {
      continue;
    }
    ZPACK_ASSIGN_OR_RETURN(const auto entries, ListEntries(directory.string()));
    for (const DirectoryEntry& entry : entries) {
      if (entry.type == fs::file_type::directory) {
        pending.push_back(directory / entry.name);
      }
    }
  }
  return {};
}

}  // namespace zpack
