// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Stops clients of Git that fetch without end. A client that lacks a commit
// fetches it with another 'git fetch'. With protocol versions 0 and 1, that one
// may look at the same commit before it asks for anything, and start the next.
// Any thread.

#pragma once

#include "zpack/result.h"

namespace zpack::cli {

// kLimitExceeded if this program serves a fetch that runs inside 8 others, each
// of which fetches missing objects for the one around it. Programs do not hand
// a count to each other, because the server is not a parent of the next fetch,
// so the parents of this process are looked at. Without /proc there are none.
Status CheckFetchNesting();

}  // namespace zpack::cli
