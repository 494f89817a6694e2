// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// libgit2 has no functions that make a bare repository or an empty reflog
// without files. It makes them from an empty repository in a temporary
// directory, which is removed again at once.

#pragma once

#include <git2.h>

namespace zpack::libgit2 {

// Makes a bare repository whose directory does not exist, with the settings of
// the user and the system. Returns 0 or a code of libgit2, whose last error is
// set. The caller calls git_repository_free.
int MakeBareRepository(git_repository** out);

// Makes the empty reflog of the ref `name`. Returns as MakeBareRepository. The
// caller calls git_reflog_free.
int MakeEmptyReflog(git_reflog** out, const char* name);

}  // namespace zpack::libgit2
