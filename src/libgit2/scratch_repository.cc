// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "libgit2/scratch_repository.h"

#include <git2/sys/refdb_backend.h>
#include <git2/sys/repository.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "libgit2/handles.h"

namespace zpack::libgit2 {
namespace {

// A new directory that lasts as long as this object.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::error_code ignored;
    const auto parent = std::filesystem::temp_directory_path(ignored);
    path_ = (parent / "zpack-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~ScratchDirectory() {
    if (path_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  // Makes a repository in the directory.
  int Init(Handle<git_repository>& out) const {
    if (path_.empty()) {
      git_error_set_str(GIT_ERROR_OS, "cannot make a temporary directory");
      return GIT_ERROR;
    }
    return Receive(out, [&](git_repository** repository) {
      return git_repository_init(repository, path_.c_str(), 1);
    });
  }

 private:
  std::string path_;
};

}  // namespace

int MakeBareRepository(git_repository** out) {
  Handle<git_repository> repository;
  const ScratchDirectory directory;
  if (const int code = directory.Init(repository); code != 0) return code;
  // Without the settings in the directory, which goes away.
  Handle<git_config> settings;
  if (const int code = Receive(settings, git_config_open_default); code != 0) {
    return code;
  }
  if (const int code =
          git_repository_set_config(repository.get(), settings.get());
      code != 0) {
    return code;
  }
  *out = repository.release();
  return 0;
}

int MakeEmptyReflog(git_reflog** out, const char* name) {
  Handle<git_repository> repository;
  const ScratchDirectory directory;
  if (const int code = directory.Init(repository); code != 0) return code;
  git_refdb_backend* backend = nullptr;
  if (const int code = git_refdb_backend_fs(&backend, repository.get());
      code != 0) {
    return code;
  }
  const int code = backend->reflog_read(out, backend, name);
  backend->free(backend);
  return code;
}

}  // namespace zpack::libgit2
