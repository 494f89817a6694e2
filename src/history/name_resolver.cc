// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/name_resolver.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

// Git takes no abbreviation shorter than this.
constexpr size_t kMinAbbreviation = 4;
// Candidates listed for an ambiguous abbreviation.
constexpr uint32_t kMaxCandidates = 20;

// Where Git looks for a ref, in this order.
constexpr std::array<std::string_view, 6> kRefRules = {"{}",
                                                       "refs/{}",
                                                       "refs/tags/{}",
                                                       "refs/heads/{}",
                                                       "refs/remotes/{}",
                                                       "refs/remotes/{}/HEAD"};

// The abbreviated id at the end of a name from git-describe(1), such as
// v1.0-3-g1234abc. Any other name is returned as it is. Since 2.49, Git demands
// the ref and the number of commits, in which it takes hexadecimal digits.
std::string_view AbbreviationIn(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  const size_t last = name.find_last_not_of(kDigits);
  if (last == std::string_view::npos || last < 2) return name;
  if (name.substr(last - 1, 2) != "-g") return name;
  const std::string_view described = name.substr(0, last - 1);
  const size_t dash = described.find_last_not_of(kDigits);
  if (dash == std::string_view::npos || dash + 1 == described.size() ||
      described[dash] != '-') {
    return name;
  }
  const std::string_view ref = described.substr(0, dash);
  if (ref == "@" || !IsValidRefName(fmt::format("refs/{}", ref))) return name;
  return name.substr(last + 1);
}

}  // namespace

Result<ObjectId> NameResolver::Resolve(std::string_view name) {
  if (name == "@") name = "HEAD";
  // As in Git, a full id is an id even when a ref has that name.
  if (name.size() == ObjectIdWidth(archive_.header().object_format) * 2) {
    if (const auto id = ObjectId::FromHex(name)) {
      ZPACK_TRY(locator_.Contains(*id));
      return *id;
    }
  }
  for (const std::string_view rule : kRefRules) {
    const ObjectId target =
        archive_.refs().Resolve(fmt::format(fmt::runtime(rule), name));
    if (!target.empty()) return target;
  }
  const std::string_view abbreviation = AbbreviationIn(name);
  if (abbreviation.size() < kMinAbbreviation) return NoSuchName(name);
  return ResolveAbbreviation(abbreviation);
}

Result<ObjectInfo> NameResolver::ReadInfo(const ObjectId& id) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, locator_.FindChecked(id));
  return objects_.ReadInfo(number);
}

Result<ObjectId> NameResolver::ResolveAbbreviation(std::string_view name) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectLocator::Matches matches,
                         locator_.FindPrefix(name, kMaxCandidates));
  if (matches.count == 0) return NoSuchName(name);
  if (matches.count == 1) return matches.first.front();
  std::string message = fmt::format(
      "short object id {} is ambiguous\nhint: The candidates are:", name);
  for (const ObjectId& id : matches.first) {
    const auto info = ReadInfo(id);
    message += fmt::format("\nhint:   {} {}", id.ToHex(),
                           info ? ObjectTypeName(info->type) : "unknown");
  }
  if (matches.count > matches.first.size()) message += "\nhint:   ...";
  return std::unexpected(Error{ErrorCode::kAmbiguous, std::move(message)});
}

std::unexpected<Error> NameResolver::NoSuchName(std::string_view name) const {
  const std::string& head = archive_.refs().head_symref;
  if (name == "HEAD" && !head.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     "HEAD names '{}', which does not exist in '{}'", head,
                     AtPath{archive_.path()});
  }
  return MakeError(ErrorCode::kNotFound, "no object or ref '{}' in '{}'", name,
                   AtPath{archive_.path()});
}

}  // namespace zpack
