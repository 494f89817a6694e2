// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/git_number.h"

#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <limits>
#include <string>

namespace zpack {
namespace {

// The bits by which a unit shifts a number. Nullopt for an unknown unit.
std::optional<unsigned> ShiftOf(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit == "k" || unit == "K") return 10;
  if (unit == "m" || unit == "M") return 20;
  if (unit == "g" || unit == "G") return 30;
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> ParseDepth(std::string_view text) {
  const std::string terminated(text);
  char* end = nullptr;
  const auto depth =
      static_cast<int32_t>(std::strtol(terminated.c_str(), &end, 0));
  if (*end != '\0' || depth <= 0) return std::nullopt;
  return static_cast<uint64_t>(depth);
}

std::optional<uint64_t> ParseTime(std::string_view text) {
  const std::string terminated(text);
  char* end = nullptr;
  const uint64_t time = std::strtoumax(terminated.c_str(), &end, 0);
  // Git uses the largest number for 'no limit'.
  if (*end != '\0' || time == std::numeric_limits<uint64_t>::max()) {
    return std::nullopt;
  }
  return time;
}

std::optional<uint64_t> ParseSize(std::string_view text) {
  const std::string terminated(text);
  const char* const begin = terminated.c_str();
  if (std::string_view(begin).find('-') != std::string_view::npos) {
    return std::nullopt;
  }
  char* end = nullptr;
  errno = 0;
  const uint64_t value = std::strtoumax(begin, &end, 0);
  if (errno == ERANGE || end == begin) return std::nullopt;
  const auto shift = ShiftOf(end);
  if (!shift || value > (std::numeric_limits<uint64_t>::max() >> *shift)) {
    return std::nullopt;
  }
  return value << *shift;
}

}  // namespace zpack
