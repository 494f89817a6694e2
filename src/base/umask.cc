// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/umask.h"

#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <string>

namespace zpack {

mode_t CurrentUmask() {
  // The call cannot ask without setting, and other threads may create files.
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
  // So that a file made meanwhile is not open to anyone.
  const mode_t mask = umask(077);
  umask(mask);
  return mask;
}

}  // namespace zpack
