// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Proves a .zpack file whole. A function without state; any thread.

#pragma once

#include <memory>

#include "base/file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Checks the structure, all checksums, the content digest and the file hash;
// nothing of a file that it depends on. Returns the first damage, mostly
// kCorrupt, and the errors of SingleFile::Open and VerifySingleFile.
Status CheckArchive(std::unique_ptr<RandomAccessFile> file,
                    const RunOptions& run);

}  // namespace zpack
