// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The structure of a file, for people. A function without state; any thread.

#pragma once

#include <stop_token>

#include "reader/archive_file.h"
#include "zpack/archive_reader.h"

namespace zpack {

// Describes all parts of `archive`, and checks what it shows of them. Errors as
// BlockDecoder::Load and ArchiveFile::LoadIndex, and kInterrupted.
Result<FileDescription> DescribeFile(const ArchiveFile& archive,
                                     const std::stop_token& stop);

}  // namespace zpack
