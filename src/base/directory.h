// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes and removes directories where others may write, too: no symbolic link
// that appears meanwhile is followed. Functions without state; any thread.

#pragma once

#include <string>

#include "base/descriptor.h"
#include "zpack/result.h"

namespace zpack {

// Makes the directory `path` with `mode`, less what the umask forbids. kExists
// when something of that name is there, or takes its place meanwhile; kIo.
Status MakeDirectory(const std::string& path, unsigned mode);

// Opens the directory `path` that this process made. kExists when something
// that is not a directory of this user has taken its place; kIo.
Result<Descriptor> OpenOwnDirectory(const std::string& path);

// Makes the directory `path` and those above it that are missing, as
// 'mkdir -p' does. kExists when something that is not a directory of this user
// takes the name of a missing one meanwhile; kIo.
Status MakeDirectories(const std::string& path);

// Removes `path` and everything in it, also from directories of this user that
// may not be read or written. Links are removed, not followed. Not an error
// when there is nothing of that name.
Status RemoveTree(const std::string& path);

}  // namespace zpack
