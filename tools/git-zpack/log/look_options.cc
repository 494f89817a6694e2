// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/look_options.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "common_options.h"
#include "log/format_string.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr size_t kUsualTabWidth = 8;

struct NamedStyle {
  std::string_view name;
  CommitStyle style;
  bool terminated;
  size_t tab_width;
};
constexpr std::array<NamedStyle, 9> kStyles = {
    {{"raw", CommitStyle::kRaw, false, 0},
     {"medium", CommitStyle::kMedium, false, kUsualTabWidth},
     {"short", CommitStyle::kShort, false, 0},
     {"email", CommitStyle::kFormat, false, 0},
     {"mboxrd", CommitStyle::kFormat, false, 0},
     {"fuller", CommitStyle::kFuller, false, kUsualTabWidth},
     {"full", CommitStyle::kFull, false, kUsualTabWidth},
     {"oneline", CommitStyle::kOneline, true, 0},
     {"reference", CommitStyle::kFormat, true, 0}}};
constexpr std::string_view kReferenceFormat = "%C(auto)%h (%s, %ad)";

[[noreturn]] void FailLook(std::string_view what, std::string_view value) {
  throw CommandFailure{
      {ErrorCode::kInvalidArgument,
       fmt::format("{}: {}", what, QuoteName(value, kMaxNameInMessage))}};
}

// The shortest name that begins with `name`, as in Git.
const NamedStyle* FindStyle(std::string_view name) {
  const NamedStyle* found = nullptr;
  for (const NamedStyle& style : kStyles) {
    if (style.name.starts_with(name) &&
        (found == nullptr || style.name.size() < found->name.size())) {
      found = &style;
    }
  }
  return found;
}

// Like Git, '40' and more are all digits, and fewer than four are four.
std::optional<size_t> DigitsOf(const std::string& value) {
  constexpr unsigned long kLeastShortDigits = 4;
  if (value == "auto") return std::nullopt;
  return std::max(std::strtoul(value.c_str(), nullptr, 10), kLeastShortDigits);
}

}  // namespace

LookOptions::LookOptions(const Io& io) : terminal_(io.out_is_terminal) {
  if (terminal_) look_.decorations = Decorations::Names::kShort;
}

bool LookOptions::Take(const CommandWord& word) {
  return TakeIds(word) || TakeNames(word) || TakeTexts(word);
}

bool LookOptions::TakeIds(const CommandWord& word) {
  if (word.option == "abbrev-commit") {
    look_.short_commit_ids = true;
    short_ids_given_ = true;
  } else if (word.option == "no-abbrev-commit") {
    look_.short_commit_ids = false;
  } else if (word.option == "abbrev") {
    look_.id_digits = DigitsOf(word.value);
  } else if (word.option == "no-abbrev") {
    look_.id_digits = 0;
  } else {
    return false;
  }
  return true;
}

bool LookOptions::TakeNames(const CommandWord& word) {
  if (word.option == "decorate") {
    SetDecorations(word.value);
  } else if (word.option == "no-decorate") {
    SetDecorations("no");
  } else if (word.option == "notes" || word.option == "no-notes") {
    notes_ = word.option == "notes";
  } else if (word.option == "mailmap" || word.option == "use-mailmap") {
    look_.map_names = true;
  } else if (word.option == "no-mailmap" || word.option == "no-use-mailmap") {
    look_.map_names = false;
  } else {
    return false;
  }
  return true;
}

bool LookOptions::TakeTexts(const CommandWord& word) {
  if (word.option == "oneline") {
    SetPretty("oneline");
    look_.short_commit_ids = true;
  } else if (word.option == "pretty" || word.option == "format") {
    SetPretty(word.value);
  } else if (word.option == "date") {
    auto style = ParseDateStyle(word.value, terminal_);
    if (!style) throw CommandFailure{style.error()};
    look_.date = *std::move(style);
    date_given_ = true;
  } else if (word.option == "expand-tabs") {
    constexpr int64_t kMost = std::numeric_limits<int16_t>::max();
    tab_width_ = static_cast<size_t>(
        NumberFrom(word.value, word.option.c_str(), 0, kMost));
  } else if (word.option == "no-expand-tabs") {
    tab_width_ = 0;
  } else if (word.option == "encoding") {
    if (strcasecmp(word.value.c_str(), "UTF-8") != 0 &&
        strcasecmp(word.value.c_str(), "UTF8") != 0) {
      FailLook("the only encoding of output is UTF-8, not", word.value);
    }
  } else if (word.option == "color") {
    SetColor(word.value);
  } else if (word.option == "no-color") {
    look_.colors = false;
  } else {
    return false;
  }
  return true;
}

void LookOptions::SetPretty(std::string_view value) {
  pretty_given_ = true;
  look_.terminated = false;
  if (value.starts_with("format:")) {
    SetFormat(value.substr(7));
  } else if (value.empty() || value.starts_with("tformat:") ||
             value.contains('%')) {
    if (value.starts_with("tformat:")) value.remove_prefix(8);
    SetFormat(value);
    look_.terminated = true;
  } else {
    SetStyle(value);
  }
}

void LookOptions::SetFormat(std::string_view format) {
  if (const auto unsupported = UnsupportedPlaceholder(format)) {
    throw UsageError{
        fmt::format("the placeholder '{}' is not supported; Git has it: 'git "
                    "zpack exec <file> git log ...'",
                    *unsupported)};
  }
  look_.style = CommitStyle::kFormat;
  look_.format = format;
}

void LookOptions::SetStyle(std::string_view name) {
  const NamedStyle* const style = FindStyle(name);
  if (style == nullptr) FailLook("invalid --pretty format", name);
  if (style->name == "email" || style->name == "mboxrd") {
    throw UsageError{
        fmt::format("the format '{}' is not supported; Git has it: 'git zpack "
                    "exec <file> git log ...'",
                    style->name)};
  }
  look_.style = style->style;
  look_.terminated = style->terminated;
  look_.tab_width = style->tab_width;
  if (style->style == CommitStyle::kFormat) {
    look_.format = kReferenceFormat;
    if (!date_given_) look_.date = {DateForm::kShort};
  }
}

void LookOptions::SetDecorations(std::string_view value) {
  decorations_given_ = true;
  constexpr std::array<std::string_view, 3> kYesWords = {"true", "yes", "on"};
  constexpr std::array<std::string_view, 5> kNoWords = {"", "no", "false",
                                                        "off", "0"};
  const bool automatic = value == "auto" && terminal_;
  if (value == "full") {
    look_.decorations = Decorations::Names::kFull;
  } else if (value == "short" || value == "1" || automatic ||
             std::ranges::find(kYesWords, value) != kYesWords.end()) {
    look_.decorations = Decorations::Names::kShort;
  } else if (value == "auto" ||
             std::ranges::find(kNoWords, value) != kNoWords.end()) {
    look_.decorations = std::nullopt;
  } else {
    FailLook("invalid --decorate option", value);
  }
}

void LookOptions::SetColor(const std::string& value) {
  if (value == "always" || value == "never") {
    look_.colors = value == "always";
  } else if (value == "auto") {
    look_.colors = terminal_;
  } else {
    throw UnknownValue("color mode", value, {"always", "auto", "never"});
  }
}

LogLook LookOptions::Finish() {
  const bool own_format = look_.style == CommitStyle::kFormat;
  look_.notes = notes_.value_or(!pretty_given_ ||
                                (own_format && FormatUses(look_.format, "N")));
  if (tab_width_) look_.tab_width = *tab_width_;
  if (pretty_given_ && look_.style == CommitStyle::kRaw) {
    if (!decorations_given_) look_.decorations.reset();
    if (!short_ids_given_) look_.short_commit_ids = false;
  }
  if (own_format) {
    if (!FormatUses(look_.format, "dD")) {
      look_.decorations.reset();
    } else if (!look_.decorations) {
      look_.decorations = Decorations::Names::kShort;
    }
  }
  return look_;
}

}  // namespace zpack::cli
