// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells whether a name still stands for the file that was read, so that the
// result of a reading never replaces a newer file. Functions without state; any
// thread.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "zpack/result.h"

namespace zpack {

// The size and the time tell apart files that got the same inode one after the
// other, and find a file that was written to.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  uint64_t size = 0;
  int64_t modified = 0;  // nanoseconds since 1970

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// The file at `path`, following links; nothing if there is none.
std::optional<FileIdentity> IdentityOf(const std::string& path);

// Returns kExists if `path` no longer stands for `before`, which may be
// nothing: another process has replaced, changed, created or removed the file.
Status CheckSameFile(const std::string& path,
                     const std::optional<FileIdentity>& before);

}  // namespace zpack
