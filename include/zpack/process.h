// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What only the program knows about its process.

#pragma once

namespace zpack {

// Says that nothing but this library uses libgit2 and OpenSSL in this process.
// If memory runs out inside of these, that then is an error; otherwise it may
// end the process or stop it for ever: libgit2 (1.5 to 1.9) calls itself
// without end if it cannot allocate the state of a thread, and OpenSSL (3.0
// to 3.5) needs itself to report that it cannot initialize itself. To be called
// before everything else of the three libraries, by one thread.
void OwnLibraries();

}  // namespace zpack
