// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Modes of files in a repository that several users share (git-config(1),
// core.sharedRepository). Functions without state; any thread.

#pragma once

#include <string>

#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

// What core.sharedRepository asks for.
struct SharedMode {
  enum class Kind : uint8_t {
    kUmask,    // nothing
    kAtLeast,  // `bits` besides those of the umask
    kExactly,  // `bits`, whatever the umask
  };
  Kind kind = Kind::kUmask;
  unsigned bits = 0;

  // What becomes of a file or directory that was made with `mode`.
  unsigned ForFile(unsigned mode) const;
  unsigned ForDirectory(unsigned mode) const;
};

// Makes a finished file read-only, as Git's object files are.
Status FinishObjectFile(FileSystem& file_system, const std::string& path,
                        const SharedMode& shared);

// Makes the directory `path`, unless it is there already.
Status MakeSharedDirectory(FileSystem& file_system, const std::string& path,
                           const SharedMode& shared);

}  // namespace zpack
