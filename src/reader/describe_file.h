// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Describes the structure of a file for users. The functions have no state and
// may be called from any thread.

#pragma once

#include <stop_token>
#include <vector>

#include "reader/archive_file.h"
#include "zpack/archive_reader.h"

namespace zpack {

// The files that `archive` depends on, the first one first.
std::vector<FilePart> DescribeBelow(const ArchiveFile& archive);

// Describes all parts of `archive` and checks the parts that it describes.
// Errors are those of BlockDecoder::Load and ArchiveFile::LoadIndex, and
// kInterrupted.
Result<FileDescription> DescribeFile(const ArchiveFile& archive,
                                     const std::stop_token& stop);

}  // namespace zpack
