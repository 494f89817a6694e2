// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/packed_refs.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "git/files/directory_listing.h"

namespace zpack {
namespace {

// An id of `digits` digits at the front of `line`.
std::optional<ObjectId> TakeId(size_t digits, std::string_view& line) {
  if (line.size() < digits) return std::nullopt;
  const auto id = ObjectId::FromHex(line.substr(0, digits));
  line.remove_prefix(digits);
  return id;
}

// "<id> <name>", with any space between the two. Nothing if the line is
// malformed. The name is not checked.
std::optional<Ref> ParseRef(size_t digits, std::string_view line) {
  const auto id = TakeId(digits, line);
  if (!id || line.find_first_of(" \t\r") != 0) return std::nullopt;
  line.remove_prefix(1);
  if (line.empty()) return std::nullopt;
  Ref ref;
  ref.name = line;
  ref.target = *id;
  return ref;
}

}  // namespace

Result<RefsByName> ReadPackedRefs(ObjectFormat format,
                                  const std::string& common_directory,
                                  const std::string& name) {
  const size_t digits = 2 * ObjectIdWidth(format);
  ZPACK_ASSIGN_OR_RETURN(const auto content,
                         ReadIfThere(common_directory + "/packed-refs",
                                     std::numeric_limits<uint32_t>::max()));
  RefsByName refs;
  std::string_view rest = content ? AsText(*content) : std::string_view();
  // The first line may be a header.
  if (rest.starts_with("# pack-refs with:") && !TakeLine(rest)) rest = "#";
  bool may_be_peeled = false;  // the line before this one is a ref
  while (!rest.empty()) {
    const auto line = TakeLine(rest);
    if (line && may_be_peeled && line->starts_with('^')) {
      // The object at the end of a tag, which is looked up in the tag itself.
      std::string_view peeled = line->substr(1);
      may_be_peeled = false;
      if (TakeId(digits, peeled) && peeled.empty()) continue;
    } else if (auto ref = line ? ParseRef(digits, *line) : std::nullopt) {
      may_be_peeled = true;
      std::string key = ref->name;
      if (refs.emplace(std::move(key), *ref).second) continue;
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot list refs of '{}': '{}' occurs twice in "
                       "'packed-refs'",
                       AtPath{name}, ref->name);
    }
    return MakeError(
        ErrorCode::kSourceCorrupt,
        "cannot list refs of '{}': unexpected line in 'packed-refs': '{}'",
        AtPath{name}, line.value_or(rest));
  }
  return refs;
}

}  // namespace zpack
