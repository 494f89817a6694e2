// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An allocator for libgit2 with which lack of memory is an error. libgit2 (1.5
// to 1.9) keeps a thread's last error in a state that it allocates when it
// needs it first. With its own allocator, a failure to do so is an error again,
// and so on without end. Nor does libgit2 check all that it allocates for
// configuration. So this allocator has a reserve.

#pragma once

namespace zpack {

// Gives libgit2 the allocator, for the whole process. Memory of either
// allocator may be freed by the other. Only before libgit2 is initialized, and
// only where nothing else in the process sets an allocator. One thread.
void UseLibgit2Allocator();

// Throws std::bad_alloc.
void InitializeLibgit2();

// Allocates the state of this thread, if the allocator is used. To be called
// before other functions of libgit2.
void PrepareLibgit2Thread();

// Whether this allocator has failed in this thread since the last call.
bool Libgit2AllocationFailed();

}  // namespace zpack
