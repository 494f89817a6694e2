// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Permissions of files in a repository that several users share (git-config(1),
// core.sharedRepository). Functions without state; any thread.

#pragma once

#include <string>

#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

// The value of core.sharedRepository.
struct SharedMode {
  enum class Kind : uint8_t {
    kUmask,    // the mode is not changed
    kAtLeast,  // the bits that the umask leaves, plus `bits`
    kExactly,  // `bits`, whatever the umask
  };
  Kind kind = Kind::kUmask;
  unsigned bits = 0;

  // The mode for a file or directory that was made with `mode`.
  unsigned ForFile(unsigned mode) const;
  unsigned ForDirectory(unsigned mode) const;
};

// Makes a finished file read-only, as Git does for its object files.
Status FinishObjectFile(FileSystem& file_system, const std::string& path,
                        const SharedMode& shared);

// Makes the directory `path`, unless the directory exists.
Status MakeSharedDirectory(FileSystem& file_system, const std::string& path,
                           const SharedMode& shared);

}  // namespace zpack
