// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of Git's configuration, and files that hold them.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "git/config/configuration_parser.h"
#include "git/config/configuration_values.h"
#include "zpack/result.h"

namespace zpack {

// Entries, from the lowest to the highest level. Names of settings are in lower
// case. Thread-compatible. The errors of its functions are kGit.
class Configuration {
 public:
  Configuration() = default;
  explicit Configuration(std::vector<ConfigEntry> entries)
      : entries_(std::move(entries)) {}

  const std::vector<ConfigEntry>& entries() const { return entries_; }
  // The last entry with this name. Null if there is none.
  const ConfigEntry* Find(std::string_view name) const;
  // The value of the last entry with this name. Nothing if there is no such
  // entry. An error if that value has another type.
  Result<std::optional<bool>> Bool(std::string_view name) const;
  Result<std::optional<int64_t>> Number(std::string_view name) const;

 private:
  std::vector<ConfigEntry> entries_;
};

// The value of `entry`. kGit if it has another type.
Result<bool> BoolOf(const ConfigEntry& entry);
Result<int64_t> NumberOf(const ConfigEntry& entry,
                         int64_t max = std::numeric_limits<int64_t>::max());

// kGit: `entry` has a value that is not allowed, or none.
std::unexpected<Error> BadValue(const ConfigEntry& entry);

// kGit: the number in `entry` is none, or has another range.
std::unexpected<Error> BadNumber(const ConfigEntry& entry,
                                 std::string_view why);

// What a missing permission to read a file means.
enum class Denied : uint8_t { kError, kNoFile };

// The text of the configuration file `path`. Nothing if there is no such file.
//
// Errors: kIo if the file cannot be read; kInvalidArgument if it is not a
// regular file; /dev/null counts as an empty one. kLimitExceeded above 64 MiB.
Result<std::optional<std::string>> ReadConfigurationText(
    const std::string& path, Denied denied = Denied::kError);

// The configuration in one file, without the files that it includes. Empty if
// the file does not exist. Errors: those of ReadConfigurationText and
// ParseConfiguration.
Result<Configuration> ReadConfigurationFile(const std::string& path);

}  // namespace zpack
