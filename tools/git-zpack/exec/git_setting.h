// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What Git prints: settings that Git hands to no program, and its commands. Any
// thread.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace zpack::cli {

// Returns the value of a configuration variable, as 'git config --get' prints
// it: that of the repository that the environment names, of the user, of the
// system, and of 'git -c'. Returns nothing if the variable is not set or Git
// cannot be run.
std::optional<std::string> GitSetting(const std::string& name);

// Returns what 'git <arguments>' prints, without a line feed at the end.
// Nothing if Git cannot be run or does not succeed.
std::optional<std::string> OutputOfGit(
    const std::vector<std::string>& arguments);

}  // namespace zpack::cli
