// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The spaces of indexes. A rank is a position among sorted ids. Counts, sizes,
// depths and distances are integers, and so are positions in a small container
// of one function. Any thread.

#pragma once

#include "base/index.h"

namespace zpack {

// Rank among all ids of a file. With --base these are more than those of the
// list.
using FileRank = Index<struct FileRankTag>;
// Rank among the ids of the list of objects that are stored or repacked.
using ListRank = Index<struct ListRankTag>;
// Rank in the index of one pack.
using PackRank = Index<struct PackRankTag>;
// Position of an entry in one pack.
using PackPosition = Index<struct PackPositionTag>;
// Which of the open packs of a repository, and which of those that share a
// BaseCache.
using PackNumber = Index<struct PackNumberTag>;
using CachedPack = Index<struct CachedPackTag>;

// Number of an object in a file. The ids that objects name and that are not in
// the file continue the numbers.
using ObjectNumber = Index<struct ObjectNumberTag>;
// What a block calls an object: its number, but from the file's object count on
// a place among the outside ids of this block.
using LinkNumber = Index<struct LinkNumberTag>;

// A path in a PathTable.
using PathNumber = Index<struct PathNumberTag>;
// Place of a path when alike ones are side by side.
using PathPosition = Index<struct PathPositionTag>;
// When the walk of a list came to an object.
using VisitNumber = Index<struct VisitNumberTag>;
// Position in the order in which the list is written.
using WritePosition = Index<struct WritePositionTag>;
// An object among those that a DeltaPlanner was given.
using CandidateNumber = Index<struct CandidateNumberTag>;

}  // namespace zpack
