// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The setting core.sharedRepository. Functions without state; any thread.

#pragma once

#include "base/shared_mode.h"
#include "git/config/configuration.h"
#include "zpack/result.h"

namespace zpack {

// The value of core.sharedRepository. Returns kGit if Git refuses it.
Result<SharedMode> ReadSharedMode(const Configuration& config);

}  // namespace zpack
