// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/unfinished_index.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "git/files/directory_listing.h"

namespace zpack {
namespace {

bool IsUnfinished(std::string_view name) {
  // Git writes the index into its lock.
  constexpr std::array<std::string_view, 4> kPrefixes = {
      "multi-pack-index.lock", "tmp_bitmap_", "tmp_midx_", "tmp_rev_"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
    return name.starts_with(prefix);
  });
}

// True if no process has the file open for writing: only then the kernel grants
// a read lease.
bool IsLeft(const std::string& path) {
  const int fd =
      open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  // The signal for a process that opens the file just now: one that is ignored.
  const bool left =
      fcntl(fd, F_SETSIG, SIGURG) == 0 && fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
  close(fd);
  return left;
}

}  // namespace

std::set<std::string> ListUnfinishedIndex(const std::string& directory) {
  std::set<std::string> unfinished;
  const auto names = ListNames(directory);
  if (!names) return unfinished;
  for (const std::string& name : *names) {
    if (IsUnfinished(name)) unfinished.insert(name);
  }
  return unfinished;
}

void RemoveUnfinishedIndex(FileSystem& file_system,
                           const std::string& directory,
                           const std::set<std::string>& before) {
  for (const std::string& name : ListUnfinishedIndex(directory)) {
    const std::string path = directory + '/' + name;
    if (!before.contains(name) && IsLeft(path)) {
      (void)file_system.Remove(path);
    }
  }
}

}  // namespace zpack
