// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/listed_files.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/hex.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

constexpr std::array<std::string_view, 10> kNames = {
    "",    "reflogs", "description", "info",       "hooks",
    "lfs", "config",  "worktrees",   "alternates", "other"};
constexpr std::array<std::string_view, 3> kInfoFiles = {
    "info/attributes", "info/exclude", "info/grafts"};
constexpr std::array<std::string_view, 4> kWorktreeFiles = {
    "HEAD", "gitdir", "locked", "logs/HEAD"};
// What restore writes, and what decides where Git reads the rest. In lower
// case, since some file systems do not tell the cases apart.
constexpr std::array<std::string_view, 13> kReserved = {
    "commondir", "config",  "description", "gitdir",      "head",
    "hooks",     "logs",    "objects",     "packed-refs", "refs",
    "reftable",  "shallow", "worktrees"};
// Of most file systems, less the ending of an inactive file.
constexpr size_t kMaxComponent = 255 - kInactiveEnding.size();
constexpr size_t kMaxOtherName = 4095 - kInactiveEnding.size();
constexpr size_t kLfsIdDigits = 64;

// Whether all parts of `name` between slashes satisfy the predicate.
template <typename Predicate>
bool AllComponents(std::string_view name, Predicate predicate) {
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (!predicate(name.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

// Each component of the name of a reflog is the name of a file or directory.
bool IsReflogName(std::string_view name) {
  if (name == "HEAD") return true;
  // Every repository with reflogs of refs has directories of these names.
  if (name == "refs/heads" || name == "refs/tags") return false;
  if (!IsValidRefName(name)) return false;
  return AllComponents(name, [](std::string_view component) {
    return component.size() <= kMaxRefComponent;
  });
}

// A name of one component without control characters.
bool IsComponent(std::string_view name) {
  return !name.empty() && name.size() <= kMaxComponent && name != "." &&
         name != ".." && std::ranges::all_of(name, [](unsigned char c) {
           return c >= 0x20 && c != 0x7f && c != '/';
         });
}

bool IsHookName(std::string_view name) {
  return IsComponent(name) && name[0] != '.' &&
         name.find(' ') == std::string_view::npos &&
         !name.ends_with(".sample") && !name.ends_with(kInactiveEnding);
}

// "id/HEAD" and the like.
bool IsWorktreeName(std::string_view name) {
  const std::string_view id = name.substr(0, name.find('/'));
  return IsComponent(id) && id[0] != '.' && id.size() < name.size() &&
         std::ranges::find(kWorktreeFiles, name.substr(id.size() + 1)) !=
             kWorktreeFiles.end();
}

bool IsOtherName(std::string_view name) {
  // A component with the ending would be in the way of the inactive file of
  // that name.
  const auto is_free = [](std::string_view component) {
    return !component.ends_with(kInactiveEnding);
  };
  if (name.size() > kMaxOtherName || !AllComponents(name, is_free)) {
    return false;
  }
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), ToLower);
  const auto is_in = [](const auto& names, std::string_view text) {
    return std::ranges::find(names, text) != names.end();
  };
  return AllComponents(lower, IsComponent) &&
         !is_in(kReserved, lower.substr(0, lower.find('/'))) &&
         !is_in(kInfoFiles, lower) && !lower.starts_with("lfs/objects/");
}

// "ab/cd/abcd...", as Git LFS names its objects.
bool IsLfsName(std::string_view name) {
  if (name.size() != 6 + kLfsIdDigits) return false;
  const std::string_view id = name.substr(6);
  return name.substr(0, 2) == id.substr(0, 2) && name[2] == '/' &&
         name.substr(3, 2) == id.substr(2, 2) && name[5] == '/' &&
         std::ranges::all_of(id, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

std::string_view FileGroupName(FileGroup group) {
  return kNames[static_cast<size_t>(group)];
}

std::optional<FileGroup> ParseFileGroup(std::string_view name) {
  const auto at = std::ranges::find(kAllFileGroups, name, FileGroupName);
  return at == kAllFileGroups.end() ? std::nullopt : std::optional(*at);
}

std::string InactiveName(std::string_view name) {
  return std::string(name) += kInactiveEnding;
}

bool NameFitsContent(const RepositoryFile& file) {
  return file.group != FileGroup::kLfs ||
         file.name.ends_with(ToHex(file.sha256));
}

bool IsValidFileName(FileGroup group, std::string_view name) {
  switch (group) {
    case FileGroup::kReflogs:
      return SkipPrefix("logs/", name) && IsReflogName(name);
    case FileGroup::kDescription:
      return name == "description";
    case FileGroup::kInfo:
      return std::ranges::find(kInfoFiles, name) != kInfoFiles.end();
    case FileGroup::kHooks:
      return SkipPrefix("hooks/", name) && IsHookName(name);
    case FileGroup::kLfs:
      return SkipPrefix("lfs/objects/", name) && IsLfsName(name);
    case FileGroup::kConfig:
      return name == "config";
    case FileGroup::kWorktrees:
      return SkipPrefix("worktrees/", name) && IsWorktreeName(name);
    case FileGroup::kAlternates:
      return name == "objects/info/alternates";
    case FileGroup::kOther:
      return IsOtherName(name);
  }
  return false;
}

Restoration RestorationOf(FileGroup group) {
  switch (group) {
    case FileGroup::kHooks:
    case FileGroup::kConfig:
    case FileGroup::kOther:
      return Restoration::kTrusted;
    case FileGroup::kAlternates:
      return Restoration::kNever;
    default:
      return Restoration::kAlways;
  }
}

}  // namespace zpack
