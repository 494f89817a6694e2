// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Parses configuration files as Git does (git-config(1), "Syntax", and what
// Git accepts beyond that). Pure.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "zpack/result.h"

namespace zpack {

struct ConfigEntry {
  // "section.key" or "section.subsection.key". Section and key are in lower
  // case. Only the key if the entry is in no section.
  std::string name;
  // Nothing for an entry without '=', which stands for 'true'.
  std::optional<std::string> value;

  friend bool operator==(const ConfigEntry&, const ConfigEntry&) = default;
};

// Whether sections and keys may contain `c`.
bool IsConfigKeyCharacter(char c);

using ConfigVisitor = std::function<Status(ConfigEntry entry)>;

// Maximum bytes of names and values that one file may stand for. A long name of
// a section counts for each of its entries.
inline constexpr uint64_t kMaxConfigurationBytes = uint64_t{64} << 20;

// Calls `visit` with each entry of `text`, in order. `path` names the file in
// messages.
//
// Errors: kGit "bad config line <n> in file '<path>'", after the entries before
// that line; kLimitExceeded; those of `visit`.
Status ParseConfiguration(std::string_view text, std::string_view path,
                          const ConfigVisitor& visit);

}  // namespace zpack
