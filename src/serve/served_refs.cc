// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/served_refs.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string>

#include "base/error.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

// Whether `pattern` is `name` or one of its directories.
bool Covers(std::string_view pattern, std::string_view name) {
  return name.starts_with(pattern) &&
         (name.size() == pattern.size() || name[pattern.size()] == '/');
}

}  // namespace

// The last pattern that covers the name counts, as in Git's refs.c.
bool ServedRefs::IsHidden(std::string_view name) const {
  if (settings_.hidden_refs.empty()) return false;
  const std::string full = settings_.ref_namespace + std::string(name);
  for (std::string_view pattern : std::views::reverse(settings_.hidden_refs)) {
    const bool shown = pattern.starts_with('!');
    if (shown) pattern.remove_prefix(1);
    const bool outside = pattern.starts_with('^');
    if (outside) pattern.remove_prefix(1);
    if (Covers(pattern, outside ? full : name)) return !shown;
  }
  return false;
}

std::optional<ServedRefs::Shown> ServedRefs::Show(const Ref& ref) const {
  if (!ref.symbolic()) return Shown{ref.name, ref.target, ref.peeled, {}};
  return ShowSymbolic(ref.name);
}

// Git names the ref at the end of a chain.
std::optional<ServedRefs::Shown> ServedRefs::ShowSymbolic(
    std::string_view name) const {
  const Ref* const last = refs_.Find(refs_.ResolveName(name));
  if (last == nullptr) return std::nullopt;
  return Shown{name, last->target, last->peeled, last->name};
}

std::optional<ServedRefs::Shown> ServedRefs::ShowHead() const {
  if (IsHidden(kHeadName)) return std::nullopt;
  if (!refs_.head_symref.empty()) return ShowSymbolic(kHeadName);
  if (refs_.head_target.empty()) return std::nullopt;
  const auto same =
      std::ranges::find(refs_.refs, refs_.head_target, &Ref::target);
  return Shown{kHeadName,
               refs_.head_target,
               same != refs_.refs.end() ? same->peeled : ObjectId(),
               {}};
}

Status ServedRefs::ForEach(
    const std::function<Status(const Shown&)>& visit) const {
  if (const auto head = ShowHead()) ZPACK_TRY(visit(*head));
  for (const Ref& ref : refs_.refs) {
    if (IsHidden(ref.name)) continue;
    if (const auto shown = Show(ref)) ZPACK_TRY(visit(*shown));
  }
  return {};
}

std::string_view ServedRefs::HeadTarget() const {
  if (refs_.head_symref.empty()) return {};
  const auto head = ShowSymbolic(kHeadName);
  return head ? head->symref_target : std::string_view();
}

std::string_view ServedRefs::UnbornHead() const {
  if (refs_.head_symref.empty() || IsHidden(kHeadName)) return {};
  return refs_.Resolve(kHeadName).empty() ? refs_.ResolveName(kHeadName)
                                          : std::string_view();
}

std::optional<ServedRefs::Shown> ServedRefs::Find(std::string_view name) const {
  if (name == kHeadName) return ShowHead();
  const Ref* const ref = refs_.Find(name);
  if (ref == nullptr || IsHidden(name)) return std::nullopt;
  return Show(*ref);
}

std::vector<ObjectId> ServedRefs::Expand(std::string_view name) const {
  constexpr std::array<std::array<std::string_view, 2>, 6> kRules = {{
      {"", ""},
      {"refs/", ""},
      {"refs/tags/", ""},
      {"refs/heads/", ""},
      {"refs/remotes/", ""},
      {"refs/remotes/", "/HEAD"},
  }};
  std::vector<ObjectId> found;
  for (const auto& [before, after] : kRules) {
    std::string full(before);
    full += name;
    full += after;
    const ObjectId id = refs_.Resolve(full);
    if (!id.empty()) found.push_back(id);
  }
  return found;
}

std::unordered_set<ObjectId> ServedRefs::Tips(Hidden hidden) const {
  std::unordered_set<ObjectId> tips;
  for (const Ref& ref : refs_.refs) {
    if (hidden == Hidden::kNo && IsHidden(ref.name)) continue;
    if (const auto shown = Show(ref)) tips.insert(shown->id);
  }
  if (hidden == Hidden::kYes || !IsHidden(kHeadName)) {
    const ObjectId head = refs_.Resolve(kHeadName);
    if (!head.empty()) tips.insert(head);
  }
  return tips;
}

}  // namespace zpack
