// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for OpenSSL that does not run out while it initializes itself. If its
// own did, OpenSSL would report that, initialize itself for the report, and
// wait for itself (3.5) or crash (3.0).

#pragma once

namespace zpack {

// Gives OpenSSL allocation functions, for the whole process, that have a
// reserve if there is no memory. Only before OpenSSL is used, and only where
// nothing else in the process sets such functions. One thread.
void UseOpensslReserve();

}  // namespace zpack
