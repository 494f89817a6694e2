// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Revisions that stand for sets of commits, as in gitrevisions(7): '^<rev>',
// '<a>..<b>', '<a>...<b>', '<rev>^@', '<rev>^!' and '<rev>^-<n>'.
// Thread-compatible.

#pragma once

#include <iosfwd>
#include <string_view>

#include "zpack/archive_reader.h"
#include "zpack/result.h"
#include "zpack/walk.h"

namespace zpack::cli {

// Adds what `revision` stands for to WalkOptions::starts and excluded. Any
// other name that ArchiveReader::Resolve takes is a start. Warns on `err` of
// ambiguous refs.
//
// Errors are those of ArchiveReader::Resolve, MergeBases and Peel.
Status AddRevision(const ArchiveReader& reader, std::string_view revision,
                   WalkOptions& walk, std::ostream& err);

// Adds all refs and HEAD, after everything that was named before.
void AddAllRefs(WalkOptions& walk);

}  // namespace zpack::cli
