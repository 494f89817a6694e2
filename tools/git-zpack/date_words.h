// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of dates, in any case, as Git knows them, whatever the locale is.
// Thread-safe.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace zpack::cli {

// Of ASCII. Bytes above 127 are neither.
bool IsDigit(char c);
bool IsLetter(char c);

// How many letters `text` begins with.
size_t CountLetters(std::string_view text);

// How many characters of `word` the text begins with; 0 if another letter or a
// digit follows them.
size_t MatchedLength(std::string_view text, std::string_view word);

// Whether `text` begins with all of `word`, and the word ends there.
bool BeginsWithWord(std::string_view text, std::string_view word);

// The month, from 0, or the day of the week, from Sunday as 0, that `text`
// begins with. Three letters of a name are enough: "Jan", "febru", "TUES".
std::optional<int> FindMonth(std::string_view text);
std::optional<int> FindWeekday(std::string_view text);

// The zone that `text` begins with, in minutes east of Greenwich. Of a zone of
// summer time, these are those of summer.
std::optional<int> FindZone(std::string_view text);

// The number from 1 to 10 whose name `text` begins with.
std::optional<int> FindNumberName(std::string_view text);

// The seconds of the unit that `text` begins with, from "second" to "weeks".
std::optional<int> FindUnit(std::string_view text);

}  // namespace zpack::cli
