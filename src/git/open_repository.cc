// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/open_repository.h"

namespace zpack {
namespace {

// Says no to repositories that libgit2 opens only because InitLibgit2 tells it
// to know their extensions.
Status CheckExtensions(const git_repository* repository,
                       const std::string& path) {
  const std::string config_path =
      std::string(git_repository_commondir(repository)) + "config";
  git_config* raw = nullptr;
  if (git_config_open_ondisk(&raw, config_path.c_str()) != 0) return {};
  const ConfigHandle config(raw);
  const auto check = [&](const char* key, std::string_view known,
                         std::string_view what) -> Status {
    git_buf value = GIT_BUF_INIT;
    if (git_config_get_string_buf(&value, config.get(), key) != 0) return {};
    const std::string text = value.ptr;
    git_buf_dispose(&value);
    if (text == known) return {};
    return MakeError(ErrorCode::kUnsupported, "unsupported {} {} in '{}'", what,
                     text, path);
  };
  ZPACK_TRY(check("extensions.objectformat", "sha1", "object format"));
  return check("extensions.refstorage", "files", "ref storage");
}

// Why libgit2 could not open `path`.
Error ExplainOpenFailure(int code, const std::string& path) {
  const std::string message = LastLibgit2Message();
  if (code == GIT_ENOTFOUND) {
    return {ErrorCode::kNotFound,
            fmt::format("not a git repository: '{}'", path)};
  }
  if (code == GIT_EOWNER) {
    return {ErrorCode::kGit,
            fmt::format("detected dubious ownership in repository at '{}'; to "
                        "trust it, run: git config --global --add "
                        "safe.directory '{}'",
                        path, path)};
  }
  return {ErrorCode::kGit, fmt::format("cannot open '{}': {}", path, message)};
}

}  // namespace

Result<RepositoryHandle> OpenRepositoryHandle(const std::string& path) {
  InitLibgit2();
  git_repository* raw = nullptr;
  const int code = git_repository_open_ext(&raw, path.c_str(), 0, nullptr);
  if (code != 0) return std::unexpected(ExplainOpenFailure(code, path));
  RepositoryHandle repository(raw);
  ZPACK_TRY(CheckExtensions(repository.get(), path));
  return repository;
}

}  // namespace zpack
