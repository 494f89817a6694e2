// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives a finished file its name, so that it never replaces what another
// process wrote meanwhile. Functions without state; any thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "zpack/result.h"

namespace zpack {

// The size and the time tell apart files that got the same inode one after the
// other, and find a file that was written to.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
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

// Syncs the file `temporary`, gives it the name `path`, and syncs the
// directory. If `path` leads through links, the file at their end is replaced.
// `before` is what `path` stood for when the caller began. REQUIRES:
// `temporary` is in the directory of the file that it replaces.
//
// Errors: kExists if `path` no longer stands for `before`; kNotDurable if the
// file has its name, but the directory cannot be synced; kIo. After kExists and
// kIo, `path` is unchanged and `temporary` is still there.
Status PublishFile(const std::string& temporary, const std::string& path,
                   const std::optional<FileIdentity>& before);

}  // namespace zpack
