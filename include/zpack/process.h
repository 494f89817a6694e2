// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What only the program knows about its process.

#pragma once

namespace zpack {

// Says that nothing but this library uses libgit2 in this process. If memory
// runs out inside libgit2, that then is an error; otherwise it may end the
// process, because libgit2 (1.5 to 1.9) calls itself without end if it cannot
// allocate the state of a thread. To be called before everything else of this
// library and of libgit2, by one thread.
void OwnLibgit2();

}  // namespace zpack
