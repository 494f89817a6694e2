// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the objects of a source and hashes them, as 'git fsck' does. A function
// without state; any thread.

#pragma once

#include <vector>

#include "object/object_source.h"
#include "reader/archive_file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Reads the objects of `archive` from `source`, in the order in which `archive`
// stores them, since similar objects share bases. Leaves out objects that
// `source` does not have. Returns the number of objects that hash to their ids,
// and appends an error for each other object, with Error::object set.
//
// REQUIRES: the index of `archive` is loaded. Errors: kInterrupted.
Result<uint64_t> VerifySource(ObjectSource& source, const ArchiveFile& archive,
                              const RunOptions& run,
                              std::vector<Error>& damages);

// Reads and hashes one object. kNotFound, kSourceCorrupt; those of reading.
Status CheckSourceObject(ObjectSource& source, const ObjectId& id);

// Reads and hashes every object of `source`. Returns an error, with
// Error::object set, for each object that cannot be read or does not hash to
// its id; kNotFound for an object that vanished meanwhile. In the order of ids.
//
// Errors: kInterrupted, kOutOfMemory, kLimitExceeded.
Result<std::vector<Error>> FindDamaged(ObjectSource& source,
                                       const RunOptions& run);

}  // namespace zpack
