// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables of the environment that would make Git take a repository for
// another one. They are refused, because ignoring them could lose what Git
// would keep.

#pragma once

#include <string>

#include "zpack/options.h"

namespace zpack::cli {

// Throws CommandFailure if the environment tells Git to read refs elsewhere
// than where repositories have them (GIT_REFERENCE_BACKEND, since 2.54).
void RefuseOtherRefs();

// Throws CommandFailure if the environment tells Git to read objects elsewhere
// than in `repository`, or above it.
void RefuseOtherObjects(const std::string& repository, Discovery discovery);

// Throws CommandFailure if the environment tells Git to find parts of a
// repository elsewhere than in `repository`, or above it: objects that only
// these need would seem to be unreachable.
void RefuseOtherPlaces(const std::string& repository, Discovery discovery);

}  // namespace zpack::cli
