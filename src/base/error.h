// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes errors and passes them on.

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

// If `expr`, a Status or a Result, is an error, returns that error from the
// enclosing function.
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

// Assigns the value of the Result `expr` to `lhs`, which may be a declaration.
// If `expr` is an error, returns that error from the enclosing function.
#define ZPACK_ASSIGN_OR_RETURN(lhs, expr) \
  ZPACK_ASSIGN_IMPL(ZPACK_CONCAT(zpack_result_, __LINE__), lhs, expr)

namespace zpack {

// A message argument that is inserted without quotes, such as a message of
// another library.
struct MessageText {
  std::string_view text;
};

// Message arguments that NewError, MakeError and Extend also copy to fields of
// the error.
struct AtPath {
  std::string_view path;
};
struct AtOffset {
  uint64_t offset;
};

// How messages name the file or directory `path`: without user and password of
// a URL, and by its own name if the path leads through a descriptor of this
// process for a directory (/proc/self/fd).
std::string PathForMessage(std::string_view path);

// How a message shows an argument. Every text is assumed to be a name from a
// hostile file, and is quoted; a URL is shown without user and password
// (zpack/quote.h).
template <typename T>
decltype(auto) ShowInMessage(const T& argument) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return QuoteName(NameWithoutSecrets(argument), kMaxNameInMessage);
  } else {
    return (argument);  // NOLINT(bugprone-return-const-ref-from-parameter)
  }
}
inline std::string ShowInMessage(const MessageText& argument) {
  return std::string(argument.text);
}
inline std::string ShowInMessage(const ObjectId& id) { return id.ToHex(); }
inline std::string ShowInMessage(const AtPath& at) {
  return QuoteName(PathForMessage(at.path), kMaxNameInMessage);
}
inline uint64_t ShowInMessage(const AtOffset& at) { return at.offset; }

// The type in which a message shows an argument of type T.
template <typename T>
using ShownInMessage = decltype(ShowInMessage(std::declval<const T&>()));

// Formats a message as fmt::format does, but quotes names.
template <typename... Args>
std::string FormatMessage(fmt::format_string<ShownInMessage<Args>...> format,
                          const Args&... args) {
  return fmt::format(format, ShowInMessage(args)...);
}

// Copies a message argument to its field of `error`, unless the field is
// already set.
inline void NoteInError(const ObjectId& id, Error& error) {
  if (error.object.empty()) error.object = id;
}
inline void NoteInError(const AtPath& at, Error& error) {
  if (error.path.empty()) error.path = PathForMessage(at.path);
}
inline void NoteInError(const AtOffset& at, Error& error) {
  if (!error.offset) error.offset = at.offset;
}
template <typename T>
void NoteInError(const T& /*argument*/, Error& /*error*/) {}

// Makes an error whose message is formatted as by FormatMessage. The first
// ObjectId, AtPath and AtOffset among `args` become fields of the error.
template <typename... Args>
Error NewError(ErrorCode code,
               fmt::format_string<ShownInMessage<Args>...> format,
               const Args&... args) {
  Error error{code, fmt::format(format, ShowInMessage(args)...)};
  (NoteInError(args, error), ...);
  return error;
}

// As NewError, but wrapped in std::unexpected for a return statement.
template <typename... Args>
std::unexpected<Error> MakeError(
    ErrorCode code, fmt::format_string<ShownInMessage<Args>...> format,
    const Args&... args) {
  return std::unexpected(NewError<Args...>(code, format, args...));
}

// Appends a formatted text to the message of `error`, and copies `args` to the
// fields of `error` that are not set.
template <typename... Args>
Error Extend(Error error, fmt::format_string<ShownInMessage<Args>...> format,
             const Args&... args) {
  error.message += fmt::format(format, ShowInMessage(args)...);
  (NoteInError(args, error), ...);
  return error;
}

// kIo with the text of `error_number`: "cannot <action> '<path>': <text>".
Error IoError(std::string_view action, std::string_view path, int error_number);

// kInterrupted if a stop was requested.
Status CheckStop(const std::stop_token& stop);

}  // namespace zpack
