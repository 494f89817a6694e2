// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of refs as Git prints it, for fingerprints. Pure.

#pragma once

#include "base/hash.h"
#include "zpack/refs.h"

namespace zpack {

// Feeds to `hasher` what `git show-ref` prints: a line with id and name for
// each ref that leads to an object, without HEAD. False if that is nothing.
bool HashRefsListing(const RefsSnapshot& refs, Hasher& hasher);

}  // namespace zpack
