// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/libgit2_options.h"

#include <fmt/format.h>
#include <git2.h>

#include <array>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "git/libgit2.h"
#include "git/libgit2_allocator.h"

namespace zpack {
namespace {

// The options that libgit2 reports.
struct KnownOptions {
  size_t window = 0;
  size_t mapped = 0;
  size_t files = 0;
  int owner_validation = 0;
  std::vector<std::string> extensions;
};

// `code` is the result of a function of libgit2 that fails only for lack of
// memory.
void RequireMemory(int code) {
  if (code < 0) throw std::bad_alloc();
}

struct StringArrayDeleter {
  void operator()(git_strarray* array) const { git_strarray_dispose(array); }
};

KnownOptions GetOptions() {
  KnownOptions options;
  git_libgit2_opts(GIT_OPT_GET_MWINDOW_SIZE, &options.window);
  git_libgit2_opts(GIT_OPT_GET_MWINDOW_MAPPED_LIMIT, &options.mapped);
  git_libgit2_opts(GIT_OPT_GET_MWINDOW_FILE_LIMIT, &options.files);
  git_libgit2_opts(GIT_OPT_GET_OWNER_VALIDATION, &options.owner_validation);
  git_strarray extensions{};
  RequireMemory(git_libgit2_opts(GIT_OPT_GET_EXTENSIONS, &extensions));
  const std::unique_ptr<git_strarray, StringArrayDeleter> owned(&extensions);
  options.extensions.assign(extensions.strings,
                            extensions.strings + extensions.count);
  return options;
}

void SetOptions(const KnownOptions& options) {
  std::vector<const char*> extensions;
  extensions.reserve(options.extensions.size());
  for (const std::string& name : options.extensions) {
    extensions.push_back(name.c_str());
  }
  // First, because only this allocates.
  RequireMemory(git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions.data(),
                                 extensions.size()));
  git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, options.window);
  git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, options.mapped);
  git_libgit2_opts(GIT_OPT_SET_MWINDOW_FILE_LIMIT, options.files);
  git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, options.owner_validation);
}

const KnownOptions& OurOptions() {
  static const KnownOptions options = {
      // Packs are mapped in windows, so that resident memory does not grow with
      // the size of packs. A lower limit costs time for mapping (5 % at 96 MiB
      // compared with 256 MiB).
      .window = size_t{16} << 20,
      .mapped = size_t{96} << 20,
      // Many systems limit a process to 1,024 open files.
      .files = 64,
      // FindRepository checks the owner, as Git does.
      .owner_validation = 0,
      // Extensions that do not change how objects and refs are stored, and
      // extensions that ReadRepositoryFormat checks, because some of their
      // values change nothing.
      // libgit2 < 1.9.4: does not know objectformat, preciousobjects,
      // relativeworktrees and worktreeconfig, or not all of them.
      .extensions = {"noop-v1", "partialclone", "preciousobjects",
                     "worktreeconfig", "objectformat", "refstorage",
                     "relativeworktrees", "submodulepathconfig"}};
  return options;
}

// This library hashes every object once itself, when it reads the finished file
// back; libgit2's check takes several times as long as reading. Every object is
// read once, so a cache of whole objects would only cost memory. The cache of
// delta bases inside a pack is separate and stays enabled.
void SetHashCheckAndCache(int on) {
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, on);
  git_libgit2_opts(GIT_OPT_ENABLE_CACHING, on);
}

std::mutex options_mutex;
unsigned option_users = 0;   // guarded by options_mutex
KnownOptions users_options;  // what was set before the first of them; the same

std::shared_mutex search_mutex;
constexpr std::array<int, 4> kUserFileLevels = {
    GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
    GIT_CONFIG_LEVEL_GLOBAL};

}  // namespace

Libgit2Options::Libgit2Options() {
  const std::lock_guard<std::mutex> lock(options_mutex);
  if (option_users == 0) {
    // libgit2 is never shut down, because handles may outlive this object.
    static const bool initialized = [] {
      InitializeLibgit2();
      return true;
    }();
    (void)initialized;
    PrepareLibgit2Thread();
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

NoLibgit2UserFiles::NoLibgit2UserFiles() : lock_(search_mutex) {
  for (size_t level = 0; level < kLevels; ++level) {
    git_buf path = GIT_BUF_INIT;
    RequireMemory(git_libgit2_opts(GIT_OPT_GET_SEARCH_PATH,
                                   kUserFileLevels[level], &path));
    const std::unique_ptr<git_buf, Libgit2Free<git_buf_dispose>> owned(&path);
    if (path.ptr != nullptr) paths_[level] = path.ptr;
  }
  for (const int level : kUserFileLevels) {
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
  }
}

NoLibgit2UserFiles::~NoLibgit2UserFiles() {
  for (size_t level = 0; level < kLevels; ++level) {
    // Allocates nothing: libgit2 keeps the memory of an emptied path.
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, kUserFileLevels[level],
                     paths_[level].c_str());
  }
}

Libgit2UserFiles::Libgit2UserFiles() : lock_(search_mutex) {}

std::string Libgit2Version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  git_libgit2_version(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace zpack
