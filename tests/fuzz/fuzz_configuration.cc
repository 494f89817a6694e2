// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Configuration files. What a file holds must be the same after our writer has
// written it, as long as a file can hold it.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/error.h"
#include "fuzz/fuzz_target.h"
#include "git/config/configuration_parser.h"
#include "git/config/configuration_text.h"

namespace {

using namespace zpack;

Result<std::vector<ConfigEntry>> Read(std::string_view text) {
  std::vector<ConfigEntry> entries;
  ZPACK_TRY(ParseConfiguration(text, "file", [&](ConfigEntry entry) -> Status {
    entries.push_back(std::move(entry));
    return {};
  }));
  return entries;
}

// Git accepts names that no header of a section gives back: entries in no
// section, and what a zero byte cut off, whose last part may be no key.
bool CanBeWritten(std::string_view name) {
  const size_t first = name.find('.');
  const size_t last = name.rfind('.');
  if (first == std::string_view::npos) return false;
  const std::string_view key = name.substr(last + 1);
  return first != 0 && !key.empty() && IsConfigKeyCharacter(name.front()) &&
         IsLetter(key.front()) &&
         std::ranges::all_of(key,
                             [](char c) {
                               return IsConfigKeyCharacter(c) &&
                                      ToLower(c) == c;
                             }) &&
         name.find('\r') == std::string_view::npos;
}

std::string Written(const std::vector<ConfigEntry>& entries) {
  std::string text;
  for (const auto& [name, value] : entries) {
    const size_t first = name.find('.');
    const size_t last = name.rfind('.');
    std::optional<std::string_view> subsection;
    if (last != first) {
      subsection = std::string_view(name).substr(first + 1, last - first - 1);
    }
    AppendSection(name.substr(0, first), subsection, text);
    AppendEntry(name.substr(last + 1), value ? value->c_str() : nullptr, text);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data),
                              std::min<size_t>(size, 1 << 20));
  auto entries = Read(text);
  if (!entries) return 0;
  std::erase_if(*entries, [](const ConfigEntry& entry) {
    return !CanBeWritten(entry.name) ||
           (entry.value && entry.value->find('\r') != std::string::npos);
  });
  const auto again = Read(Written(*entries));
  if (!again || *again != *entries) std::abort();
  return 0;
}
