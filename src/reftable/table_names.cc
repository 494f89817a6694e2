// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/table_names.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/hex.h"

namespace zpack::reftable {
namespace {

constexpr size_t kMaxTableName = 64;

// Removes digits or letters from the front of `text`; false if there are none.
template <typename Predicate>
bool Skip(Predicate belongs, std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, belongs);
  const auto size = static_cast<size_t>(end - text.begin());
  text.remove_prefix(size);
  return size != 0;
}

bool IsHexDigit(char c) { return HexDigitValue(c) >= 0; }

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

bool SkipIndex(std::string_view& text) {
  SkipPrefix("0x", text);
  return Skip(IsHexDigit, text) && SkipPrefix("-", text);
}

}  // namespace

bool IsTableName(std::string_view name) {
  return name.size() <= kMaxTableName && SkipIndex(name) && SkipIndex(name) &&
         Skip(IsLetterOrDigit, name) && (name == ".ref" || name == ".log");
}

std::string TableName(const TableHeader& header, uint32_t random) {
  return fmt::format("0x{:012x}-0x{:012x}-{:08x}.ref", header.min_update_index,
                     header.max_update_index, random);
}

Result<std::vector<std::string>> ParseTablesList(std::string_view content,
                                                 const std::string& path) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  while (!content.empty()) {
    const auto line = TakeLine(content);
    if (!line) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "the last line of '{}' has no end", AtPath{path});
    }
    const std::string_view name = *line;
    if (name.empty()) continue;
    if (!IsTableName(name)) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "bad name of a reftable '{}' in '{}'", name,
                       AtPath{path});
    }
    if (!seen.insert(name).second) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "reftable '{}' occurs twice in '{}'", name,
                       AtPath{path});
    }
    if (names.size() == kMaxTables) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "'{}' lists more than {} reftables", AtPath{path},
                       kMaxTables);
    }
    names.emplace_back(name);
  }
  return names;
}

}  // namespace zpack::reftable
