// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/reflog_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "base/bytes.h"

namespace zpack {
namespace {

// The text before `end`, which is removed together with `end`.
std::optional<std::string_view> TakeUntil(std::string_view end,
                                          std::string_view& text) {
  const size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

std::optional<ObjectId> TakeReflogId(ObjectFormat format,
                                     std::string_view& line) {
  const auto hex = TakeUntil(" ", line);
  if (!hex || hex->size() != 2 * ObjectIdWidth(format)) return std::nullopt;
  return ObjectId::FromHex(*hex);
}

// Decimal digits and nothing else.
template <typename Number>
bool ParseDigits(std::string_view text, Number& number) {
  if (text.empty() || text[0] == '-') return false;
  const auto [stop, error] = std::from_chars(text.begin(), text.end(), number);
  return error == std::errc() && stop == text.end();
}

bool HasAnyOf(std::string_view text, std::string_view bytes) {
  return text.find_first_of(bytes) != std::string_view::npos;
}

// A sign and four digits, which are taken as one number.
bool TakeZone(std::string_view& text, int16_t& zone) {
  if (text.size() < 5 || (text[0] != '+' && text[0] != '-')) return false;
  if (!ParseDigits(text.substr(1, 4), zone)) return false;
  if (text[0] == '-') zone = static_cast<int16_t>(-zone);
  text.remove_prefix(5);
  return true;
}

}  // namespace

std::string FormatReflogLine(const reftable::LogRecord& record) {
  std::string message = record.message;
  while (message.ends_with('\n')) message.pop_back();
  std::ranges::replace(message, '\n', ' ');
  return fmt::format("{} {} {} <{}> {} {:+05d}{}{}\n", record.old_id.ToHex(),
                     record.new_id.ToHex(), record.name, record.email,
                     record.time, record.zone, message.empty() ? "" : "\t",
                     message);
}

std::string_view ParseReflogLine(std::string_view line, ObjectFormat format,
                                 reftable::LogRecord& record) {
  const auto old_id = TakeReflogId(format, line);
  const auto new_id = old_id ? TakeReflogId(format, line) : std::nullopt;
  if (!new_id) return "it does not begin with two object ids";
  // A mark of existence in a table, which Git does not show.
  if (old_id->is_null() && new_id->is_null()) {
    return "both object ids are zero";
  }
  // Without a name, some programs leave one space and some two.
  const auto name =
      SkipPrefix("<", line) ? std::string_view() : TakeUntil(" <", line);
  const auto email = name ? TakeUntil("> ", line) : std::nullopt;
  constexpr std::string_view kNotInIdentity("\0<>", 3);
  if (!email || HasAnyOf(*name, kNotInIdentity) ||
      HasAnyOf(*email, kNotInIdentity)) {
    return "it has no name and e-mail address";
  }
  const auto time = TakeUntil(" ", line);
  if (!time || !ParseDigits(*time, record.time) ||
      !TakeZone(line, record.zone)) {
    return "it has no time and time zone";
  }
  if (!line.empty() && !SkipPrefix("\t", line)) {
    return "the message does not follow a tab";
  }
  if (line.contains('\0')) return "the message has a zero byte";
  record.old_id = *old_id;
  record.new_id = *new_id;
  record.name = *name;
  record.email = *email;
  record.message = line;
  record.message += '\n';
  return {};
}

}  // namespace zpack
