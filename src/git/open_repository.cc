// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/open_repository.h"

#include <git2/sys/repository.h>

#include "git/configuration.h"
#include "git/repository_format.h"

namespace zpack {
namespace {

// libgit2 ends the names of directories with a slash.
std::string WithoutSlash(std::string directory) {
  if (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  return directory;
}

// Git's configuration instead of what libgit2 would find by itself, which knows
// neither the command line's nor that of a work tree.
Status SetConfiguration(git_repository* repository,
                        WorktreeConfiguration worktree) {
  ZPACK_ASSIGN_OR_RETURN(
      const ConfigHandle config,
      ReadConfiguration(
          repository, WithoutSlash(git_repository_commondir(repository)),
          WithoutSlash(git_repository_path(repository)), worktree));
  if (git_repository_set_config(repository, config.get()) != 0) {
    return MakeError(ErrorCode::kGit, "cannot set the configuration: {}",
                     LastLibgit2Message());
  }
  return {};
}

// Why libgit2 could not open `path`.
Error ExplainOpenFailure(int code, const std::string& path) {
  const std::string message = LastLibgit2Message();
  if (code == GIT_ENOTFOUND) {
    return {ErrorCode::kNotFound,
            FormatMessage("not a git repository: '{}'", path)};
  }
  if (code == GIT_EOWNER) {
    return {ErrorCode::kGit,
            FormatMessage("detected dubious ownership in repository at '{}'; to "
                        "trust it, run: git config --global --add "
                        "safe.directory '{}'",
                        path, path)};
  }
  return {ErrorCode::kGit, FormatMessage("cannot open '{}': {}", path, message)};
}

}  // namespace

Result<RepositoryHandle> OpenRepositoryHandle(const std::string& path) {
  InitLibgit2();
  git_repository* raw = nullptr;
  const int code = git_repository_open_ext(&raw, path.c_str(), 0, nullptr);
  if (code != 0) return std::unexpected(ExplainOpenFailure(code, path));
  RepositoryHandle repository(raw);
  ZPACK_ASSIGN_OR_RETURN(
      const RepositoryFormat format,
      ReadRepositoryFormat(WithoutSlash(git_repository_commondir(raw))));
  ZPACK_TRY(SetConfiguration(raw, format.worktree));
  return repository;
}

}  // namespace zpack
