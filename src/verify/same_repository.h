// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells whether an archive can be of the same repository as something else:
// both have a commit in common, or one of them has no commit. A blob in common,
// such as the empty blob or a licence, proves nothing. Functions without state;
// any thread.

#pragma once

#include <functional>
#include <optional>

#include "object/object_source.h"
#include "reader/archive_file.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// What FindCommonCommit finds.
struct CommonCommits {
  bool any_commits = false;  // the archive has a commit
  bool in_common = false;    // and one of them is accepted
};

// Looks for a commit of `archive` that `accept` accepts, and stops at the first
// one. Passes over blocks that cannot be decoded; other checks report these.
// REQUIRES: the index is loaded. Returns kIo if the archive cannot be read.
Result<CommonCommits> FindCommonCommit(
    const ArchiveFile& archive,
    const std::function<bool(const ObjectId&)>& accept);

// Whether two archives can be of the same repository. Errors as above.
Result<bool> IsSameRepository(const ArchiveFile& a, const ArchiveFile& b);

// Whether `archive` can be of the repository `source`, which has the objects
// `ids`. Also the errors of ObjectSource::ReadInfo.
Result<bool> IsSameRepository(const ArchiveFile& archive, ObjectSource& source,
                              const ObjectIdTable& ids);

}  // namespace zpack
