// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Values in Git's configuration (git-config(1), "Values"). Functions without
// state; any thread.

#pragma once

#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "zpack/result.h"

namespace zpack {

// The value of an entry. Nothing for an entry without a value.
using ConfigValue = std::optional<std::string>;

// The largest value of settings that Git reads as an int.
inline constexpr int64_t kMaxConfigInt = std::numeric_limits<int32_t>::max();

// Nothing if `value` is not a boolean value. An entry without a value is true.
std::optional<bool> ParseConfigBool(const ConfigValue& value);

// An integer with a unit (k, m, g). The reason, in Git's words, if `value` is
// not an integer, or not in the range [-max - 1, max].
std::expected<int64_t, std::string_view> ParseConfigNumber(
    const ConfigValue& value,
    int64_t max = std::numeric_limits<int64_t>::max());

// Whether ExpandConfigPath resolves the links in the home directory.
enum class HomeLinks : uint8_t { kKeep, kResolve };

// A path whose '~' stands for the home directory, '~user' for that of another
// user, and '%(prefix)' for the place where Git is installed. Nothing if there
// is no such directory.
std::optional<std::string> ExpandConfigPath(const std::string& path,
                                            HomeLinks links = HomeLinks::kKeep);

// `path` without the ':(optional)' that Git 2.52 and later accept before it:
// what does not exist is as if it were not set.
std::string WithoutOptional(const std::string& path);

// The value of a boolean variable in the environment of this process.
// `otherwise` if it is not set; kGit if its value is not boolean.
Result<bool> EnvironmentBool(const char* variable, bool otherwise);

}  // namespace zpack
