// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists commits and what they change, as git-log(1) does.

#pragma once

#include "base/visitor.h"
#include "log/pickaxe_search.h"
#include "reader/archive_file.h"
#include "reader/object_reader.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::log {

// Errors are those of ArchiveReader::Log. REQUIRES: the index is loaded.
Status ListCommits(const ArchiveFile& archive, ObjectReader& objects,
                   const LogOptions& options, const LineDiff& diff,
                   const Visitor<const LoggedCommit&>& visit);

}  // namespace zpack::log
