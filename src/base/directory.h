// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists directories, and makes and removes them in places where other users may
// write. The functions do not follow symbolic links that appear in the
// meantime. Functions without state; any thread.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "zpack/result.h"

namespace zpack {

struct DirectoryEntry {
  std::string name;
  // Of the entry itself: a link is not followed. unknown for pipes, devices and
  // sockets; none if the entry was removed or cannot be examined.
  std::filesystem::file_type type = std::filesystem::file_type::none;
};

// The entries of the directory `path`, sorted by name. kNotFound if nothing has
// that name, or the target of a link does not exist; kIo if the directory
// cannot be read completely. No other function of the library reads a
// directory: the iterators of the standard library throw in loops over them.
Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path);

// The same for the open directory `directory`; errors name it `path`.
Result<std::vector<DirectoryEntry>> ListEntries(const Descriptor& directory,
                                                const std::string& path);

// Makes the directory `path` with `mode` minus the bits of the umask. kExists
// if the name is taken, or if something else takes the place of the new
// directory; kIo. After kIo there is no new directory.
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
// followed. If nothing has that name, the call succeeds. Two free descriptors
// are enough. Errors: kIo.
Status RemoveTree(const std::string& path);

}  // namespace zpack
