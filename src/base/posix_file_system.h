// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The file system of the operating system, made of calls that a test may
// replace. May be used from several threads.

#pragma once

#include <memory>

#include "base/file.h"
#include "base/posix_calls.h"

namespace zpack {

// Does without what `calls` says is unsupported wherever the contract of
// FileSystem can be kept.
std::unique_ptr<FileSystem> MakePosixFileSystem(const PosixCalls& calls);

}  // namespace zpack
