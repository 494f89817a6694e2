// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Settings of Git's configuration that Git hands to no program. Any thread.

#pragma once

#include <optional>
#include <string>

namespace zpack::cli {

// Returns the value of a configuration variable, as 'git config --get' prints
// it: that of the repository that the environment names, of the user, of the
// system, and of 'git -c'. Returns nothing if the variable is not set or Git
// cannot be run.
std::optional<std::string> GitSetting(const std::string& name);

}  // namespace zpack::cli
