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
// shallow boundary in which `archive` and `source` differ. Differences that
// VerifyOptions::allow_newer accepts are only counted. Objects whose size or,
// with VerifyOptions::read_source, content cannot be read from `source` are
// differences. If `archive` is of another repository (same_repository.h), that
// is the only difference. Errors: kIo; those of listing `source`.
Status CompareWithSource(const ArchiveFile& archive, ObjectSource& source,
                         const VerifyOptions& options, VerifyReport& report);

// The refs of `source`. A ref that is peeled otherwise than in the file has its
// target read and hashed: a copy that has another id may be to blame. Errors:
// those of ObjectSource::ReadRefs.
Result<RefsSnapshot> ReadRefsToCompare(ObjectSource& source,
                                       const RefsSnapshot& in_file);

// Compares only refs, HEAD and shallow boundaries.
void CompareRefs(const RefsSnapshot& in_file, const RefsSnapshot& in_source,
                 std::vector<Difference>& differences);

}  // namespace zpack
