// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Backends of libgit2 over an open archive. That of the objects keeps it open;
// that of the refs copies them. libgit2 frees a backend through its function
// `free`.

#pragma once

#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/refdb_backend.h>

#include "libgit2/shared_archive.h"

namespace zpack::libgit2 {

// Null if there is no memory.
git_odb_backend* MakeOdbBackend(SharedArchive archive) noexcept;
git_refdb_backend* MakeRefdbBackend(const zpack_archive* archive) noexcept;

}  // namespace zpack::libgit2
