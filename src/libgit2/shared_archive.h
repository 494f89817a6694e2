// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An archive that backends of libgit2 share, and its errors and ids in
// libgit2's form. Stands on the C interface alone.

#pragma once

#include <git2.h>

#include <memory>

#include "zpack.h"

namespace zpack::libgit2 {

using SharedArchive = std::shared_ptr<zpack_archive>;

// Opens the file `path`. Objects are not hashed, because libgit2 does it,
// unless its user does not want that. Returns 0 or a code of libgit2, whose
// last error is set.
int Open(SharedArchive& out, const char* path,
         const zpack_open_options* options);

// Sets libgit2's last error, of its class `category`, from the last error of
// the C interface. Returns the code of libgit2 that stands for `code`.
int Fail(int category, int code) noexcept;
// The same for lack of memory.
int OutOfMemory() noexcept;
// The same for an argument that is needed and that is null.
int RefuseNull() noexcept;
// Refuses to change an archive.
int RefuseToWrite(int category) noexcept;

zpack_oid FromGit(const git_oid& id) noexcept;
git_oid ToGit(const zpack_oid& id) noexcept;

}  // namespace zpack::libgit2
