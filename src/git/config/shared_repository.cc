// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/shared_repository.h"

#include <charconv>
#include <string>

#include "base/error.h"
#include "git/config/configuration_values.h"

namespace zpack {

Result<SharedMode> ReadSharedMode(const Configuration& config) {
  using enum SharedMode::Kind;
  constexpr SharedMode kGroup{kAtLeast, 0660};
  constexpr SharedMode kEverybody{kAtLeast, 0664};
  constexpr unsigned kOwner = 0600;
  constexpr unsigned kAll = 0666;
  const ConfigEntry* const entry = config.Find("core.sharedrepository");
  if (entry == nullptr) return SharedMode{};
  // An entry without a value.
  if (!entry->value) return kGroup;
  const std::string& text = *entry->value;
  if (text == "umask") return SharedMode{};
  if (text == "group") return kGroup;
  if (text == "all" || text == "world" || text == "everybody") {
    return kEverybody;
  }
  unsigned bits = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, bits, 8);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) {
    if (const auto yes = ParseConfigBool(entry->value)) {
      return *yes ? kGroup : SharedMode{};
    }
    return MakeError(ErrorCode::kGit, "bad value '{}' of core.sharedRepository",
                     text);
  }
  // Values that old versions of Git wrote.
  if (bits <= 2) {
    return bits == 0 ? SharedMode{} : bits == 1 ? kGroup : kEverybody;
  }
  if ((bits & kOwner) != kOwner) {
    return MakeError(ErrorCode::kGit,
                     "core.sharedRepository is {:04o}; the owner of files must "
                     "always have read and write permissions",
                     bits);
  }
  return SharedMode{kExactly, bits & kAll};
}

}  // namespace zpack
