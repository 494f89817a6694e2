// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of a repository that hold neither objects nor refs. Plain values.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zpack {

// What a file of a repository is for. The values are on disk: do not change
// them.
enum class FileGroup : uint8_t {
  kReflogs = 1,      // logs/HEAD, logs/refs/...; the stash is one of them
  kDescription = 2,  // description, unless it is Git's default
  kInfo = 3,         // info/attributes, info/exclude, info/grafts
  kHooks = 4,        // hooks/<name>, except for samples
  kLfs = 5,          // lfs/objects/..., named after their SHA-256
  kConfig = 6,       // config, without secrets and what describes the copy
  kWorktrees = 7,    // HEADs of linked worktrees, and what makes them known
  kAlternates = 8,   // objects/info/alternates
  kOther = 9,        // what the user named; not for restore without trust
};

inline constexpr std::array kAllFileGroups = {
    FileGroup::kReflogs,   FileGroup::kDescription, FileGroup::kInfo,
    FileGroup::kHooks,     FileGroup::kLfs,         FileGroup::kConfig,
    FileGroup::kWorktrees, FileGroup::kAlternates,  FileGroup::kOther};

// "reflogs", "description", "info", "hooks", "lfs", "config", "worktrees",
// "alternates" or "other".
std::string_view FileGroupName(FileGroup group);
// The inverse of FileGroupName. Nothing for any other text.
std::optional<FileGroup> ParseFileGroup(std::string_view name);

// A file of a repository as a .zpack file holds it.
struct RepositoryFile {
  FileGroup group = FileGroup::kReflogs;
  std::string name;         // path below the git directory, e.g. "logs/HEAD"
  bool executable = false;  // for its owner
  uint64_t size = 0;        // bytes
  std::array<uint8_t, 32> sha256{};  // of the content

  friend bool operator==(const RepositoryFile&,
                         const RepositoryFile&) = default;
};

}  // namespace zpack
