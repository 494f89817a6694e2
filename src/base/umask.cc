// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/umask.h"

#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <string>

namespace zpack {

mode_t CurrentUmask() {
  // umask(2) cannot read the value without changing it, and other threads may
  // create files at the same time.
  constexpr std::string_view kLabel = "Umask:\t";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kLabel)) continue;
    mode_t mask = 0;
    const char* end = line.data() + line.size();
    const auto parsed =
        std::from_chars(line.data() + kLabel.size(), end, mask, 8);
    if (parsed.ec == std::errc() && parsed.ptr == end) return mask;
  }
  // Strict, so that no other user can open a file made in the meantime.
  const mode_t mask = umask(077);
  umask(mask);
  return mask;
}

}  // namespace zpack
