// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/history_printer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "cli.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr size_t kShortId = 12;

std::string IdText(const std::optional<ObjectId>& id, bool is_short) {
  if (!id) return "";
  return is_short ? id->ToHex().substr(0, kShortId) : id->ToHex();
}

UsageError Bad(std::string_view what) {
  return UsageError{
      fmt::format("unknown field in the format: '{}'", QuoteName(what))};
}

// The value of two hexadecimal digits, or nothing.
std::optional<char> HexCharacter(std::string_view digits) {
  unsigned value = 0;
  if (digits.size() < 2) return std::nullopt;
  const char* const end = digits.data() + 2;
  const auto parsed = std::from_chars(digits.data(), end, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return static_cast<char>(value);
}

}  // namespace

HistoryFormat HistoryFormat::Parse(std::string_view format) {
  constexpr std::array<std::pair<std::string_view, Field>, 6> kFields = {
      {{"brought", Field::kBrought},
       {"removed", Field::kRemoved},
       {"blob", Field::kBlob},
       {"path", Field::kPath},
       {"line", Field::kLine},
       {"text", Field::kText}}};
  HistoryFormat parsed;
  std::string text;
  for (size_t at = 0; at < format.size(); ++at) {
    const std::string_view rest = format.substr(at);
    if (rest.front() != '%') {
      text += rest.front();
    } else if (rest.starts_with("%%")) {
      text += '%';
      ++at;
    } else if (rest.starts_with("%(")) {
      const size_t end = rest.find(')');
      if (end == std::string_view::npos) throw Bad(rest);
      std::string_view name = rest.substr(2, end - 2);
      const bool is_short = name.ends_with(":short");
      if (is_short) name.remove_suffix(std::string_view(":short").size());
      const auto* field = kFields.begin();
      while (field != kFields.end() && field->first != name) ++field;
      const bool is_id =
          name == "brought" || name == "removed" || name == "blob";
      if (field == kFields.end() || (is_short && !is_id)) {
        throw Bad(rest.substr(0, end + 1));
      }
      parsed.parts_.emplace_back(std::exchange(text, {}));
      parsed.parts_.emplace_back(FieldUse{field->second, is_short});
      at += end;
    } else if (const auto character = HexCharacter(rest.substr(1))) {
      text += *character;
      at += 2;
    } else {
      throw Bad(rest.substr(0, 3));
    }
  }
  text += '\n';
  parsed.parts_.emplace_back(std::move(text));
  return parsed;
}

HistoryFormat HistoryFormat::Default() {
  return Parse(
      "%(brought:short)..%(removed:short) %(blob:short) "
      "%(path):%(line):%(text)");
}

void HistoryFormat::PrintField(const FieldUse& use, const HistoryMatch& match,
                               std::ostream& out) {
  switch (use.field) {
    case Field::kBrought:
      out << IdText(match.brought, use.is_short);
      break;
    case Field::kRemoved:
      out << IdText(match.removed, use.is_short);
      break;
    case Field::kBlob:
      out << IdText(match.blob, use.is_short);
      break;
    case Field::kPath:
      out << QuoteName(match.path, kWholeName, BeyondAscii::kEscape);
      break;
    case Field::kLine:
      if (!match.binary) out << match.line;
      break;
    case Field::kText:
      out << (match.binary ? "Binary file matches" : match.text);
      break;
  }
}

void HistoryFormat::Print(const HistoryMatch& match, std::ostream& out) const {
  for (const auto& part : parts_) {
    if (const auto* const text = std::get_if<std::string>(&part)) {
      out << *text;
    } else {
      PrintField(std::get<FieldUse>(part), match, out);
    }
  }
}

}  // namespace zpack::cli
