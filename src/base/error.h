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
#include <utility>

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

// An error to return, with a message made as fmt::format makes it.
template <typename... Args>
std::unexpected<Error> MakeError(ErrorCode code,
                                 fmt::format_string<Args...> format,
                                 Args&&... args) {
  return std::unexpected(
      Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

// kIo with the text of `error_number`: "cannot <action> '<path>': <text>".
Error IoError(std::string_view action, std::string_view path, int error_number);

// kInterrupted once a stop was requested.
Status CheckStop(const std::stop_token& stop);

}  // namespace zpack
