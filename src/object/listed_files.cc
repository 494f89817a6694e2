// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/listed_files.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hex.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

constexpr std::array<std::string_view, 6> kNames = {
    "", "reflogs", "description", "info", "hooks", "lfs"};
constexpr std::array<std::string_view, 3> kInfoFiles = {
    "info/attributes", "info/exclude", "info/grafts"};
// Of most file systems, less the ending of an inactive hook.
constexpr size_t kMaxHookName = 255 - kInactiveHook.size();
constexpr size_t kLfsIdDigits = 64;

// Each component of the name of a reflog is the name of a file or directory.
bool IsReflogName(std::string_view name) {
  if (name == "HEAD") return true;
  if (!IsValidRefName(name)) return false;
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (end - begin > kMaxRefComponent) return false;
    begin = end + 1;
  }
  return true;
}

bool IsHookName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxHookName && name[0] != '.' &&
         !name.ends_with(".sample") && !name.ends_with(kInactiveHook) &&
         std::ranges::all_of(name, [](unsigned char c) {
           return c > 0x20 && c != 0x7f && c != '/';
         });
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
  }
  return false;
}

}  // namespace zpack
