// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "libgit2/scratch_repository.h"

#include <git2/sys/refdb_backend.h>
#include <git2/sys/repository.h>
#include <stdlib.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "libgit2/error_functions.h"
#include "libgit2/handles.h"

namespace zpack::libgit2 {
namespace {

// A directory that only this user may enter, until the process ends. Nobody
// else can put something where a repository was.
class PrivateDirectory {
 public:
  PrivateDirectory() {
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    if (error) return;
    path_ = (parent / "zpack-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~PrivateDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;

  // Empty if it cannot be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A repository in a new directory, which is removed with this object.
class ScratchRepository {
 public:
  ScratchRepository() = default;
  ~ScratchRepository() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchRepository(const ScratchRepository&) = delete;
  ScratchRepository& operator=(const ScratchRepository&) = delete;

  int Init(Handle<git_repository>& out) {
    static const PrivateDirectory parent;
    static std::atomic<uint64_t> count = 0;
    if (parent.path().empty()) {
      git_error_set_str(GIT_ERROR_OS, "cannot make a temporary directory");
      return GIT_ERROR;
    }
    path_ = parent.path() + '/' + std::to_string(count++);
    return Receive(out, [&](git_repository** repository) {
      return git_repository_init(repository, path_.c_str(), 1);
    });
  }

 private:
  std::string path_;
};

// The settings of the user and the system as they are now. libgit2 would write
// new ones to the file of the user; a snapshot refuses them.
int ReadSettings(git_config** out) {
  Handle<git_config> settings;
  if (const int code = Receive(settings, git_config_open_default); code != 0) {
    return code;
  }
  return git_config_snapshot(out, settings.get());
}

}  // namespace

int MakeBareRepository(git_repository** out) {
  Handle<git_repository> repository;
  ScratchRepository scratch;
  if (const int code = scratch.Init(repository); code != 0) return code;
  // Without the settings in the directory, which goes away.
  Handle<git_config> settings;
  if (const int code = Receive(settings, ReadSettings); code != 0) {
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
  ScratchRepository scratch;
  if (const int code = scratch.Init(repository); code != 0) return code;
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
