// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts what `operator new` hands out. A test program that links
// counting_allocator.cc replaces the operators for all its threads; it works
// under the sanitizers, too.

#pragma once

#include <cstdint>

namespace zpack::testing {

// Starts to measure. From now on, in bytes: what was in use at most beyond what
// is in use now, and all that was handed out, freed or not.
void ResetMemory();
uint64_t PeakMemory();
uint64_t AllocatedMemory();

}  // namespace zpack::testing
