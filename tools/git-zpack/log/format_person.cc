// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The placeholders of a format for authors and committers.

#include <algorithm>
#include <array>
#include <utility>

#include "log/format_expansion.h"

namespace zpack::cli {

size_t FormatExpansion::OfPerson(char part, std::string_view line,
                                 std::string& out) {
  constexpr std::string_view kDates = "tdDriIhs";
  // Like Git, leaves some placeholders as they are if the line is broken.
  const size_t without =
      part != '\0' && std::string_view("netdDri").contains(part) ? 2 : 0;
  auto person = ParsePerson(line);
  if (!person) return without;
  if (part == 'N' || part == 'E' || part == 'L') {
    in_.sources.mailmap.Map(person->name, person->mail);
  }
  switch (part) {
    case 'n':
    case 'N':
      out += person->name;
      return 2;
    case 'e':
    case 'E':
      out += person->mail;
      return 2;
    case 'l':
    case 'L':
      out += person->mail.substr(0, person->mail.find('@'));
      return 2;
    case '\0':
      return 0;
    default:
      break;
  }
  if (!kDates.contains(part)) return 0;
  if (person->date.empty()) return without;
  constexpr std::array<std::pair<char, DateForm>, 6> kForms = {
      {{'D', DateForm::kRfc},
       {'r', DateForm::kRelative},
       {'i', DateForm::kIso},
       {'I', DateForm::kIsoStrict},
       {'h', DateForm::kHuman},
       {'s', DateForm::kShort}}};
  if (part == 't') {
    out += person->date;
  } else if (part == 'd') {
    out += Date(*person, in_.look.date);
  } else {
    const auto* const form =
        std::ranges::find(kForms, part, &std::pair<char, DateForm>::first);
    out += Date(*person, {form->second});
  }
  return 2;
}

}  // namespace zpack::cli
