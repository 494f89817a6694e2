// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/name_resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

// Git takes no abbreviation shorter than this.
constexpr size_t kMinAbbreviation = 4;
// Candidates listed for an ambiguous abbreviation.
constexpr uint32_t kMaxCandidates = 20;
// Candidates that are looked at.
constexpr uint32_t kMaxTried = 10'000;

// Where Git looks for a ref, in this order.
constexpr std::array<std::string_view, 6> kRefRules = {"{}",
                                                       "refs/{}",
                                                       "refs/tags/{}",
                                                       "refs/heads/{}",
                                                       "refs/remotes/{}",
                                                       "refs/remotes/{}/HEAD"};

// The abbreviated id at the end of a name from git-describe(1), such as
// v1.0-3-g1234abc. Any other name is returned as it is. As in Git from 2.49 on,
// the name of a ref and a count must precede the id. Git takes a count in
// hexadecimal, too.
std::string_view AbbreviationIn(std::string_view name) {
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  const size_t id = name.find_last_not_of(kHex) + 1;
  const std::string_view before = name.substr(0, id);
  if (!before.ends_with("-g")) return name;
  const std::string_view tag = before.substr(0, before.size() - 2);
  const size_t dash = tag.find_last_not_of(kHex);
  if (dash == std::string_view::npos || tag[dash] != '-' ||
      dash + 1 == tag.size() ||
      !IsValidRefName(fmt::format("refs/{}", tag.substr(0, dash)))) {
    return name;
  }
  return name.substr(id);
}

}  // namespace

Result<ObjectId> NameResolver::Resolve(std::string_view name,
                                       const Wanted& wanted) {
  if (name == "@") name = "HEAD";
  // As in Git, a full id is an id even when a ref has that name.
  if (const auto id = WholeId(name)) {
    ZPACK_TRY(locator_.Contains(*id));
    return *id;
  }
  const std::vector<ObjectId> targets = RefsNamed(name);
  if (!targets.empty()) return targets.front();
  if (const std::string& unborn = archive_.refs().head_symref;
      name == "HEAD" && !unborn.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     "HEAD names '{}', which does not exist in '{}'", unborn,
                     AtPath{archive_.path()});
  }
  const std::string_view abbreviation = AbbreviationIn(name);
  if (abbreviation.size() < kMinAbbreviation) return NoSuchName(name);
  if (abbreviation.size() == name.size()) {
    return ResolveAbbreviation(abbreviation, wanted);
  }
  return ResolveAbbreviation(abbreviation, [this](const ObjectId& id) {
    const auto info = ReadInfo(id);
    return info && info->type == ObjectType::kCommit;
  });
}

bool NameResolver::IsAmbiguous(std::string_view name) {
  const size_t refs = RefsNamed(name == "@" ? "HEAD" : name).size();
  if (refs != 1) return refs > 1;
  return WholeId(name) ||
         (name.size() >= kMinAbbreviation && ResolveAbbreviation(name));
}

std::optional<ObjectId> NameResolver::WholeId(std::string_view name) const {
  if (name.size() != ObjectIdWidth(archive_.header().object_format) * 2) {
    return std::nullopt;
  }
  return ObjectId::FromHex(name);
}

std::vector<ObjectId> NameResolver::RefsNamed(std::string_view name) const {
  std::vector<ObjectId> targets;
  for (const std::string_view rule : kRefRules) {
    const ObjectId target =
        archive_.refs().Resolve(fmt::format(fmt::runtime(rule), name));
    if (!target.empty()) targets.push_back(target);
  }
  return targets;
}

Result<ObjectInfo> NameResolver::ReadInfo(const ObjectId& id) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, locator_.FindChecked(id));
  return objects_.ReadInfo(number);
}

Result<ObjectId> NameResolver::ResolveAbbreviation(std::string_view name,
                                                   const Wanted& wanted) {
  ZPACK_ASSIGN_OR_RETURN(
      ObjectLocator::Matches matches,
      locator_.FindPrefix(name, wanted ? kMaxTried : kMaxCandidates));
  if (matches.count == 0) return NoSuchName(name);
  if (matches.count == 1) return matches.first.front();
  if (wanted && matches.count <= kMaxTried) {
    std::vector<ObjectId> left;
    std::ranges::copy_if(matches.first, std::back_inserter(left), wanted);
    if (left.size() == 1) return left.front();
    // Like Git, lists only those, if there are any.
    if (!left.empty()) {
      matches = {.count = static_cast<uint32_t>(left.size()),
                 .first = std::move(left)};
    }
  }
  matches.first.resize(std::min<size_t>(matches.first.size(), kMaxCandidates));
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
  return MakeError(ErrorCode::kNotFound, "no object or ref '{}' in '{}'", name,
                   AtPath{archive_.path()});
}

}  // namespace zpack
