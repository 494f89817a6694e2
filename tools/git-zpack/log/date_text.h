// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Dates of commits as text, as '--date' of git-log(1) has them. Uses the zone
// of the process for dates in local time. Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "log/log_commit_text.h"
#include "zpack/result.h"

namespace zpack::cli {

enum class DateForm : uint8_t {
  kDefault,
  kHuman,
  kIso,
  kIsoStrict,
  kRaw,
  kRelative,
  kRfc,
  kShort,
  kStrftime,
  kUnix,
};

struct DateStyle {
  DateForm form = DateForm::kDefault;
  bool local = false;       // in the zone of the process
  std::string format = {};  // for kStrftime
};

// The value of '--date'. kInvalidArgument for an unknown one.
Result<DateStyle> ParseDateStyle(std::string_view text, bool terminal);

// The date of `person`, and 1970 for one without a date or beyond all dates.
// `now` is the present time. Errors: kInvalidArgument for a date that its zone
// puts beyond all dates.
Result<std::string> DateText(const Person& person, const DateStyle& style,
                             int64_t now);

}  // namespace zpack::cli
