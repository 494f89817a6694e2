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

#include "zpack/object_id.h"
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

// Arguments of a message that MakeError also puts into the fields of the error.
struct AtPath {
  std::string_view path;
};
struct AtOffset {
  uint64_t offset;
};

// How a message shows an argument: every text is taken for a name, which may
// come from a hostile file, and quoted (zpack/quote.h).
template <typename T>
using ShownInMessage = std::conditional_t<
    std::is_same_v<T, AtOffset>, uint64_t,
    std::conditional_t<std::is_convertible_v<const T&, std::string_view> ||
                           std::is_same_v<T, MessageText> ||
                           std::is_same_v<T, AtPath> ||
                           std::is_same_v<T, ObjectId>,
                       std::string, const T&>>;

template <typename T>
ShownInMessage<T> ShowInMessage(const T& argument) {
  if constexpr (std::is_same_v<T, MessageText>) {
    return std::string(argument.text);
  } else if constexpr (std::is_same_v<T, ObjectId>) {
    return argument.ToHex();
  } else if constexpr (std::is_same_v<T, AtOffset>) {
    return argument.offset;
  } else if constexpr (std::is_same_v<T, AtPath>) {
    return QuoteName(argument.path, kMaxNameInMessage);
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

// Puts an argument of a message into the field of `error` that is meant for it,
// unless an earlier argument is there.
template <typename T>
void NoteInError(const T& argument, Error& error) {
  if constexpr (std::is_same_v<T, ObjectId>) {
    if (error.object.empty()) error.object = argument;
  } else if constexpr (std::is_same_v<T, AtPath>) {
    if (error.path.empty()) error.path = argument.path;
  } else if constexpr (std::is_same_v<T, AtOffset>) {
    if (!error.offset) error.offset = argument.offset;
  }
}

// An error with a message made as FormatMessage makes it. The first ObjectId,
// AtPath and AtOffset among `args` become fields of the error.
template <typename... Args>
Error NewError(ErrorCode code,
               fmt::format_string<ShownInMessage<Args>...> format,
               const Args&... args) {
  Error error{code, fmt::format(format, ShowInMessage<Args>(args)...)};
  (NoteInError(args, error), ...);
  return error;
}

// The same, to return.
template <typename... Args>
std::unexpected<Error> MakeError(
    ErrorCode code, fmt::format_string<ShownInMessage<Args>...> format,
    const Args&... args) {
  return std::unexpected(NewError<Args...>(code, format, args...));
}

// `error` with the arguments that follow `format` put into its fields, and the
// text made from them appended to its message.
template <typename... Args>
Error Extend(Error error, fmt::format_string<ShownInMessage<Args>...> format,
             const Args&... args) {
  error.message += fmt::format(format, ShowInMessage<Args>(args)...);
  (NoteInError(args, error), ...);
  return error;
}

// kIo with the text of `error_number`: "cannot <action> '<path>': <text>".
Error IoError(std::string_view action, std::string_view path, int error_number);

// kInterrupted once a stop was requested.
Status CheckStop(const std::stop_token& stop);

}  // namespace zpack
