// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The time zone of the test program, for a while. Not thread-safe.

#pragma once

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

namespace zpack::testing {

class TimeZone {
 public:
  // `zone` as in the variable TZ, for example "UTC".
  explicit TimeZone(const char* zone) {
    if (const char* const before = getenv("TZ")) before_ = before;
    setenv("TZ", zone, 1);
    tzset();
  }
  TimeZone(const TimeZone&) = delete;
  TimeZone& operator=(const TimeZone&) = delete;
  ~TimeZone() {
    if (before_) {
      setenv("TZ", before_->c_str(), 1);
    } else {
      unsetenv("TZ");
    }
    tzset();
  }

 private:
  std::optional<std::string> before_;
};

// That of New York. It needs no database of zones.
inline constexpr const char* kNewYork = "EST5EDT,M3.2.0,M11.1.0";

}  // namespace zpack::testing
