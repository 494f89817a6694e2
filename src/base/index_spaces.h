// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The spaces of indexes. A rank is a position among sorted ids. Counts, sizes,
// depths, distances, and positions in small containers within one function are
// plain integers. Any thread.

#pragma once

#include "base/index.h"

namespace zpack {

// Rank among all ids of a file. With --base, a file has more ids than the list
// of objects to store.
using FileRank = Index<struct FileRankTag>;
// Rank among the ids of the list of objects to store or to repack.
using ListRank = Index<struct ListRankTag>;
// Rank in the index of one pack.
using PackRank = Index<struct PackRankTag>;
// Position of an entry in one pack.
using PackPosition = Index<struct PackPositionTag>;
// PackNumber: index among the open packs of a repository. CachedPack: index
// among the packs that share a BaseCache.
using PackNumber = Index<struct PackNumberTag>;
using CachedPack = Index<struct CachedPackTag>;

// Number of an object in a file. Ids that objects of the file refer to and that
// are not in the file have the numbers from the object count on.
using ObjectNumber = Index<struct ObjectNumberTag>;
// The number by which a block refers to an object. A number below the object
// count of the file is the object's number. Any other number, minus the object
// count, is a position among the outside ids of the block.
using LinkNumber = Index<struct LinkNumberTag>;

// A path in a PathTable.
using PathNumber = Index<struct PathNumberTag>;
// Position of a path in an order that puts similar paths side by side.
using PathPosition = Index<struct PathPositionTag>;
// Position of an object in the order in which the walk visits the objects of a
// list.
using VisitNumber = Index<struct VisitNumberTag>;
// Position of an object in the order in which the list is written.
using WritePosition = Index<struct WritePositionTag>;
// Index of an object among those that a DeltaPlanner was given.
using CandidateNumber = Index<struct CandidateNumberTag>;

}  // namespace zpack
