// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/libgit2_options.h"

#include <git2.h>

#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "base/guarded.h"

namespace zpack {
namespace {

// Options that libgit2 tells.
struct KnownOptions {
  size_t window = 0;
  size_t mapped = 0;
  size_t files = 0;
  int owner_validation = 0;
  std::vector<std::string> extensions;
};

KnownOptions GetOptions() {
  KnownOptions options;
  git_libgit2_opts(GIT_OPT_GET_MWINDOW_SIZE, &options.window);
  git_libgit2_opts(GIT_OPT_GET_MWINDOW_MAPPED_LIMIT, &options.mapped);
  git_libgit2_opts(GIT_OPT_GET_MWINDOW_FILE_LIMIT, &options.files);
  git_libgit2_opts(GIT_OPT_GET_OWNER_VALIDATION, &options.owner_validation);
  git_strarray extensions{};
  if (git_libgit2_opts(GIT_OPT_GET_EXTENSIONS, &extensions) == 0) {
    options.extensions.assign(extensions.strings,
                              extensions.strings + extensions.count);
    git_strarray_dispose(&extensions);
  }
  return options;
}

void SetOptions(const KnownOptions& options) {
  git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, options.window);
  git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, options.mapped);
  git_libgit2_opts(GIT_OPT_SET_MWINDOW_FILE_LIMIT, options.files);
  git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, options.owner_validation);
  std::vector<const char*> extensions;
  extensions.reserve(options.extensions.size());
  for (const std::string& name : options.extensions) {
    extensions.push_back(name.c_str());
  }
  git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions.data(),
                   extensions.size());
}

const KnownOptions& OurOptions() {
  static const KnownOptions options = {
      // Map packs in windows, so that resident memory does not follow pack
      // size. With less, more time goes into mapping (5% at 96 MiB against 256
      // MiB).
      .window = size_t{16} << 20,
      .mapped = size_t{96} << 20,
      // A process may often open no more than 1,024 files.
      .files = 64,
      // FindRepository checks the owner, as Git does.
      .owner_validation = 0,
      // Extensions that do not change how objects and refs are stored, or that
      // ReadRepositoryFormat checks: their values may say that nothing changes.
      .extensions = {"partialclone", "preciousobjects", "worktreeconfig",
                     "objectformat", "refstorage"}};
  return options;
}

// Every object is hashed once, by us, when the finished file is read back;
// libgit2's own check is several times slower than reading. And each object is
// read once: a cache of whole objects only costs memory. The cache of delta
// bases inside a pack is a different one and stays.
void SetHashCheckAndCache(int on) {
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, on);
  git_libgit2_opts(GIT_OPT_ENABLE_CACHING, on);
}

std::mutex options_mutex;
unsigned option_users = 0;   // guarded by options_mutex
KnownOptions users_options;  // what was set before the first of them; the same

}  // namespace

Libgit2Options::Libgit2Options() {
  const std::lock_guard<std::mutex> lock(options_mutex);
  if (option_users == 0) {
    // Never shut down: handles may outlive this. Lack of memory is the only
    // failure.
    static const bool initialized = [] {
      if (git_libgit2_init() <= 0) throw std::bad_alloc();
      return true;
    }();
    (void)initialized;
    users_options = GetOptions();
    SetOptions(OurOptions());
    SetHashCheckAndCache(0);
  }
  ++option_users;
}

Libgit2Options::~Libgit2Options() {
  const std::lock_guard<std::mutex> lock(options_mutex);
  if (--option_users > 0) return;
  CleanUp([] { SetOptions(users_options); });
  SetHashCheckAndCache(1);
}

}  // namespace zpack
