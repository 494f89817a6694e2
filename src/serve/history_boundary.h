// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the history of a shallow client ends before and after a fetch. The
// rules are those of Git's upload-pack.c and shallow.c.

#pragma once

#include <stop_token>
#include <vector>

#include "base/index_spaces.h"
#include "serve/fetch_request.h"
#include "serve/history.h"
#include "serve/pkt_line.h"
#include "zpack/result.h"

namespace zpack {

// How the boundary of a client changes.
struct BoundaryChange {
  std::vector<ObjectNumber> shallow;  // history newly ends at these
  // It ended at these, which the client has, and goes on now.
  std::vector<ObjectNumber> unshallow;
  // Parents of `unshallow`, which the client lacks.
  std::vector<ObjectNumber> also_wanted;
};

// Computes the change that the request asks for, and lets `history` end where
// that of the client ends afterwards, so that walks from what the client wants
// and has see what it sees.
//
// Errors: kInvalidArgument if the request contradicts itself or selects no
// commit; those of `history`; kInterrupted.
Result<BoundaryChange> ChangeBoundary(const FetchRequest& request,
                                      History& history,
                                      const std::stop_token& stop);

// Tells the client of the change: lines 'shallow' and 'unshallow'.
Status WriteBoundaryChange(const BoundaryChange& change, const History& history,
                           PacketWriter& writer);

}  // namespace zpack
