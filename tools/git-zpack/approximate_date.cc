// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "approximate_date.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "exact_date.h"
#include "guessed_date.h"

namespace zpack::cli {

int64_t PresentTime() {
  constexpr int kDecimal = 10;
  const char* const given = std::getenv("GIT_TEST_DATE_NOW");
  return given ? std::strtoll(given, nullptr, kDecimal) : std::time(nullptr);
}

std::optional<int64_t> ParseApproximateDate(std::string_view text,
                                            int64_t now) {
  text = text.substr(0, text.find('\0'));
  const auto exact = ParseExactDate(text, now);
  return exact ? exact : GuessDate(text, now);
}

std::optional<int64_t> ParseExpiryDate(std::string_view text, int64_t now) {
  if (text == "never" || text == "false") return 0;
  if (text == "now" || text == "all") return now;
  const auto date = ParseApproximateDate(text, now);
  return date ? std::optional(std::max<int64_t>(*date, 0)) : std::nullopt;
}

}  // namespace zpack::cli
