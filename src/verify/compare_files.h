// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares the files of the repository in an archive with the repository.

#pragma once

#include <stop_token>
#include <vector>

#include "object/object_source.h"
#include "reader/archive_file.h"
#include "zpack/verify.h"

namespace zpack {

// Appends the differences, in the order of the names, and sets
// VerifyReport::left_out. Groups that the archive
// leaves out are not compared. Errors: those of reading the table and of the
// source; kInterrupted.
Status CompareFiles(const ArchiveFile& archive, ObjectSource& source,
                    const std::stop_token& stop, VerifyReport& report);

}  // namespace zpack
