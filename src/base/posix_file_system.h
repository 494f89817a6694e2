// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The file system of the operating system, with system calls that a test may
// replace. May be used from several threads.

#pragma once

#include <memory>

#include "base/file.h"
#include "base/posix_calls.h"

namespace zpack {

// If `calls` reports a call as unsupported, the file system uses other calls
// that keep the contract of FileSystem, where such calls exist.
std::unique_ptr<FileSystem> MakePosixFileSystem(const PosixCalls& calls);

}  // namespace zpack
