// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks everything that is reachable from given objects, in the order of
// git-rev-list(1).

#pragma once

#include "base/visitor.h"
#include "reader/archive_file.h"
#include "zpack/result.h"
#include "zpack/walk.h"

namespace zpack {

// Errors are those of ArchiveReader::Walk.
Status WalkRevisions(const ArchiveFile& archive, const WalkOptions& options,
                     const Visitor<const WalkedObject&>& visit);

}  // namespace zpack
