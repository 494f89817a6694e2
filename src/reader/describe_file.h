// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The structure of a file, for people. A function without state; any thread.

#pragma once

#include "reader/pack_file.h"
#include "zpack/pack_reader.h"

namespace zpack {

// Describes all parts of `pack`, and checks what it shows of them. Errors as
// BlockDecoder::Load and PackFile::LoadIndex.
Result<FileDescription> DescribeFile(const PackFile& pack);

}  // namespace zpack
