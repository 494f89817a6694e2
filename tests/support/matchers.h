// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// GoogleMock matchers for Result<T> and Status, and readable failures:
//
//   EXPECT_THAT(Convert(...), IsOk());
//   EXPECT_THAT(Convert(...), HasCode(ErrorCode::kExists));
//   EXPECT_THAT(Convert(...), IsError(ErrorCode::kExists, HasSubstr("x")));

#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <type_traits>

#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Found by GoogleTest through the namespace of the types.
inline void PrintTo(ErrorCode code, std::ostream* out) {
  *out << ErrorCodeName(code);
}
inline void PrintTo(const Error& error, std::ostream* out) {
  *out << ErrorCodeName(error.code) << " \"" << error.message << '"';
}
inline void PrintTo(const ObjectId& id, std::ostream* out) {
  *out << (id.empty() ? "no id" : id.ToHex());
}

namespace testing {

namespace internal {

template <typename T>
void Explain(const T& result, ::testing::MatchResultListener* listener) {
  if (result.has_value()) {
    *listener << "which is a success";
  } else {
    *listener << "which is the error " << ErrorCodeName(result.error().code)
              << " \"" << result.error().message << '"';
  }
}

}  // namespace internal

// A Result or Status that is a success.
MATCHER(IsOk, negation ? "is an error" : "is a success") {
  internal::Explain(arg, result_listener);
  return arg.has_value();
}

// An error with this code.
MATCHER_P(HasCode, code,
          std::string(negation ? "is no error with code "
                               : "is an error with code ") +
              std::string(ErrorCodeName(code))) {
  internal::Explain(arg, result_listener);
  return !arg.has_value() && arg.error().code == code;
}

// An error with this code, whose message matches `message`.
MATCHER_P2(IsError, code, message,
           std::string(negation ? "is no error " : "is an error ") +
               std::string(ErrorCodeName(code)) + " whose message " +
               ::testing::DescribeMatcher<std::string>(message)) {
  internal::Explain(arg, result_listener);
  return !arg.has_value() && arg.error().code == code &&
         ::testing::Value(arg.error().message, message);
}

}  // namespace testing
}  // namespace zpack
