// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes and removes directories in places where other users may write. The
// functions do not follow symbolic links that appear in the meantime. Functions
// without state; any thread.

#pragma once

#include <string>

#include "base/descriptor.h"
#include "zpack/result.h"

namespace zpack {

// Makes the directory `path` with `mode` minus the bits of the umask. kExists
// if the name is taken, or if something else takes the place of the new
// directory; kIo.
Status MakeDirectory(const std::string& path, unsigned mode);

// Opens the directory `path` that this process made. kExists if something has
// taken its place that is not a directory of this user or of the owner of the
// parent directory; kIo.
Result<Descriptor> OpenOwnDirectory(const std::string& path);

// Makes the directory `path` and its missing parents, as 'mkdir -p' does.
// kExists if something takes the name of a missing directory in the meantime
// that is not a directory of this user or of the owner of its parent; kIo.
Status MakeDirectories(const std::string& path);

// Removes `path` and everything in it, including the content of directories of
// this user that lack read or write permission. Symbolic links are removed, not
// followed. If nothing has that name, the call succeeds. Errors: kIo.
Status RemoveTree(const std::string& path);

}  // namespace zpack
