// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/libgit2.h"

#include <array>
#include <new>

namespace zpack {

void InitLibgit2() {
  static const bool initialized = [] {
    // Called again after a failure, of which lack of memory is the only one.
    if (git_libgit2_init() <= 0) throw std::bad_alloc();
    // Every object is hashed once, by us, when the finished file is read back;
    // libgit2's own check is several times slower than reading.
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
    // Each object is read once: caching whole objects only costs memory. The
    // cache of delta bases inside a pack is a different one and stays.
    git_libgit2_opts(GIT_OPT_ENABLE_CACHING, 0);
    // Map packs in windows, so that resident memory does not follow pack size.
    // With less, more time goes into mapping (5% at 96 MiB against 256 MiB).
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, size_t{16} << 20);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, size_t{96} << 20);
    // A process may often open no more than 1,024 files.
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_FILE_LIMIT, size_t{64});
    // Extensions that do not change how objects and refs are stored, or that
    // ReadRepositoryFormat checks: their values may say that nothing changes.
    std::array<const char*, 5> extensions = {"partialclone", "preciousobjects",
                                             "worktreeconfig", "objectformat",
                                             "refstorage"};
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions.data(),
                     extensions.size());
    // FindRepository checks it, as Git does.
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    return true;
  }();
  (void)initialized;
}

std::string LastLibgit2Message() {
  const git_error* const error = git_error_last();
  return error != nullptr && error->message != nullptr ? error->message
                                                       : "unknown error";
}

}  // namespace zpack
