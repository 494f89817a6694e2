// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/decorations.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace zpack::cli {
namespace {

constexpr std::string_view kCommitColor = "\033[33m";
constexpr std::string_view kResetDecoration = "\033[m";

}  // namespace

Decorations::Kind Decorations::KindOf(std::string_view name) {
  if (name == "HEAD") return Kind::kHead;
  if (name == "refs/stash") return Kind::kStash;
  if (name.starts_with("refs/heads/")) return Kind::kBranch;
  if (name.starts_with("refs/tags/")) return Kind::kTag;
  if (name.starts_with("refs/remotes/")) return Kind::kRemote;
  return Kind::kOther;
}

std::string_view Decorations::ColorOf(Kind kind) {
  constexpr std::array<std::string_view, 7> kColors = {
      "\033[m",     "\033[1;32m", "\033[1;31m", "\033[1;33m",
      "\033[1;35m", "\033[1;36m", "\033[1;34m"};
  return kColors[static_cast<size_t>(kind)];
}

Decorations::Decorations(const RefsSnapshot& refs, Names names)
    : names_(names) {
  for (const Ref& ref : refs.refs) AddRef(refs, ref);
  const ObjectId head = refs.Resolve("HEAD");
  if (!head.empty()) entries_[head].push_back({Kind::kHead, "HEAD"});
  if (refs.head_target.empty()) head_ = refs.ResolveName("HEAD");
  for (const ObjectId& commit : refs.shallow) {
    entries_[commit].push_back({Kind::kGrafted, "grafted"});
  }
}

void Decorations::AddRef(const RefsSnapshot& refs, const Ref& ref) {
  // As in Git, other refs are not shown.
  const Kind kind = KindOf(ref.name);
  if (kind == Kind::kOther) return;
  const Ref* const last =
      ref.symbolic() ? refs.Find(refs.ResolveName(ref.name)) : &ref;
  if (last == nullptr || last->symbolic()) return;
  const bool tagged = !last->peeled.empty();
  entries_[tagged ? last->peeled : last->target].push_back(
      {tagged ? Kind::kTag : kind, ref.name});
}

std::string Decorations::Shown(const Entry& entry) const {
  std::string_view name = entry.name;
  if (names_ == Names::kShort) {
    for (const std::string_view prefix :
         {"refs/heads/", "refs/tags/", "refs/remotes/"}) {
      if (!name.starts_with(prefix)) continue;
      name.remove_prefix(prefix.size());
      break;
    }
  }
  return std::string(name);
}

std::string Decorations::Of(const ObjectId& commit, Brackets brackets,
                            Colors colors) const {
  const auto found = entries_.find(commit);
  if (found == entries_.end()) return "";
  const std::vector<Entry>& entries = found->second;
  std::string text;
  const auto add = [&](std::string_view part, std::string_view color) {
    const bool colored = colors == Colors::kWith;
    if (colored) text += color;
    text += part;
    if (colored) text += kResetDecoration;
  };
  const bool at_head =
      std::ranges::find(entries, Kind::kHead, &Entry::kind) != entries.end();
  const auto is_current = [&](const Entry& entry) {
    return at_head && entry.kind == Kind::kBranch && entry.name == head_;
  };
  const auto current = std::ranges::find_if(entries, is_current);
  std::string_view prefix = brackets == Brackets::kWith ? " (" : "";
  for (const Entry& entry : std::views::reverse(entries)) {
    if (is_current(entry)) continue;
    if (!prefix.empty()) add(prefix, kCommitColor);
    if (entry.kind == Kind::kTag) add("tag: ", ColorOf(entry.kind));
    add(Shown(entry), ColorOf(entry.kind));
    if (entry.kind == Kind::kHead && current != entries.end()) {
      add(" -> ", kCommitColor);
      add(Shown(*current), ColorOf(current->kind));
    }
    prefix = ", ";
  }
  if (brackets == Brackets::kWith) add(")", kCommitColor);
  return text;
}

std::vector<std::string> Decorations::NamesOf(const ObjectId& commit) const {
  std::vector<std::string> names;
  const auto found = entries_.find(commit);
  if (found == entries_.end()) return names;
  for (const Entry& entry : std::views::reverse(found->second)) {
    names.push_back(entry.name);
  }
  return names;
}

}  // namespace zpack::cli
