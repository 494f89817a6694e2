// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Making and passing on errors.

#pragma once

#include <fmt/format.h>

#include <expected>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "zpack/quote.h"
#include "zpack/result.h"

// Returns from the enclosing function when `expr`, a Status or Result, failed.
#define ZPACK_TRY(expr)                                        \
  do {                                                         \
    if (auto zpack_status = (expr); !zpack_status)             \
      return std::unexpected(std::move(zpack_status).error()); \
  } while (false)

#define ZPACK_CONCAT_INNER(a, b) a##b
#define ZPACK_CONCAT(a, b) ZPACK_CONCAT_INNER(a, b)
#define ZPACK_ASSIGN_IMPL(tmp, lhs, expr)                   \
  auto tmp = (expr);                                        \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  lhs = std::move(*tmp)

// Declares or assigns `lhs` from a Result, or returns its error.
#define ZPACK_ASSIGN_OR_RETURN(lhs, expr) \
  ZPACK_ASSIGN_IMPL(ZPACK_CONCAT(zpack_result_, __LINE__), lhs, expr)

namespace zpack {

// An argument of a message that is a message itself.
struct MessageText {
  std::string_view text;
};

// How a message shows an argument: every text is taken for a name, which may
// come from a hostile file, and quoted (zpack/quote.h).
template <typename T>
using ShownInMessage =
    std::conditional_t<std::is_convertible_v<const T&, std::string_view> ||
                           std::is_same_v<T, MessageText>,
                       std::string, const T&>;

template <typename T>
ShownInMessage<T> ShowInMessage(const T& argument) {
  if constexpr (std::is_same_v<T, MessageText>) {
    return std::string(argument.text);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return QuoteName(argument, kMaxNameInMessage);
  } else {
    return argument;  // NOLINT(bugprone-return-const-ref-from-parameter)
  }
}

// A message as fmt::format makes it, with names quoted.
template <typename... Args>
std::string FormatMessage(fmt::format_string<ShownInMessage<Args>...> format,
                          const Args&... args) {
  return fmt::format(format, ShowInMessage<Args>(args)...);
}

// An error to return, with a message made as FormatMessage makes it.
template <typename... Args>
std::unexpected<Error> MakeError(
    ErrorCode code, fmt::format_string<ShownInMessage<Args>...> format,
    const Args&... args) {
  return std::unexpected(
      Error{code, fmt::format(format, ShowInMessage<Args>(args)...)});
}

// kIo with the text of `error_number`: "cannot <action> '<path>': <text>".
Error IoError(std::string_view action, std::string_view path, int error_number);

// kInterrupted once a stop was requested.
Status CheckStop(const std::stop_token& stop);

}  // namespace zpack
