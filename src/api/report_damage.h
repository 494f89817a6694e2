// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports damage that does not keep a repository from being restored. A
// function without state; any thread.

#pragma once

#include "reader/archive_file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Reads all of `archive`, unless it has a URL, and tells ReadOptions::damages,
// if it is set, of each damage, such as that of the digest and the hash at the
// end. Damage at the start, which the sink knows already, makes the hash wrong,
// so then nothing is reported. Errors as VerifyChecksums.
Status ReportDamage(const ArchiveFile& archive, const RestoreOptions& options);

}  // namespace zpack
