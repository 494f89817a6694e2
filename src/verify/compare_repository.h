// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares an archive with a repository.

#pragma once

#include "object/object_source.h"
#include "reader/archive_file.h"
#include "zpack/options.h"
#include "zpack/verify.h"

namespace zpack {

// Adds to `report` every object id, type, size, ref, symbolic ref, HEAD and
// shallow boundary in which `archive` and `source` differ. With
// AllowNewer::kYes, differences that VerifyOptions::allow_newer accepts are
// only counted. If `archive` is of another repository (same_repository.h), that
// is the only difference. Errors are those of reading either side.
Status CompareWithSource(const ArchiveFile& archive, ObjectSource& source,
                         AllowNewer newer, const RunOptions& run,
                         VerifyReport& report);

// Compares only refs, HEAD and shallow boundaries.
void CompareRefs(const RefsSnapshot& in_file, const RefsSnapshot& in_source,
                 std::vector<Difference>& differences);

}  // namespace zpack
