// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The configuration in the environment: options that 'git -c' passes to the
// programs it starts, and GIT_CONFIG_COUNT with its keys and values
// (git-config(1)). A function without state; any thread.

#pragma once

#include <functional>
#include <vector>

#include "git/config/configuration_parser.h"
#include "zpack/result.h"

namespace zpack {

// The value of an environment variable. Null if the variable is not set.
using Environment = std::function<const char*(const char* name)>;

// The entries, in Git's order. kGit if a variable or a key is malformed, so
// that Git would refuse it.
Result<std::vector<ConfigEntry>> CommandConfiguration(
    const Environment& environment);

}  // namespace zpack
