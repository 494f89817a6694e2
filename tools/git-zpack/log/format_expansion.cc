// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/format_expansion.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "log/color_words.h"

namespace zpack::cli {
namespace {

constexpr std::string_view kCommitMark = "\033[33m";
constexpr std::string_view kResetMark = "\033[m";

bool StartsWith(const char* text, std::string_view prefix) {
  return std::strncmp(text, prefix.data(), prefix.size()) == 0;
}

// '%n', and '%x' with two hexadecimal digits.
size_t LiteralPlaceholder(const char* place, std::string& out) {
  if (place[0] == 'n') {
    out += '\n';
    return 1;
  }
  if (place[0] != 'x' || place[1] == '\0' || place[2] == '\0') return 0;
  uint8_t value = 0;
  const auto [end, error] = std::from_chars(place + 1, place + 3, value, 16);
  if (error != std::errc() || end != place + 3) return 0;
  out += static_cast<char>(value);
  return 3;
}

}  // namespace

Result<std::string> FormatExpansion::Run() {
  const std::string& format = in_.look.format;
  for (size_t at = 0; at < format.size();) {
    const size_t percent = std::min(format.find('%', at), format.size());
    out_ += std::string_view(format).substr(at, percent - at);
    if (percent == format.size()) break;
    at = percent + 1;
    if (format[at] == '%') {
      out_ += '%';
      ++at;
    } else if (const size_t size = Item(format.c_str() + at); size > 0) {
      at += size;
    } else {
      out_ += '%';
    }
    if (!failed_) return std::unexpected(failed_.error());
  }
  Rewrap({}, out_);
  return std::move(out_);
}

size_t FormatExpansion::Item(const char* place) {
  const char space = *place;
  const bool changes = space == '-' || space == '+' || space == ' ';
  if (changes && *++place == 'w') return 0;
  const size_t before = out_.size();
  const size_t size = padding_ ? Padded(place) : One(place, out_);
  if (!changes) return size;
  if (out_.size() == before) {
    while (space == '-' && out_.ends_with('\n')) out_.pop_back();
  } else if (space != '-') {
    out_.insert(std::min(before, out_.size()), 1, space == '+' ? '\n' : ' ');
  }
  return size + 1;
}

size_t FormatExpansion::One(const char* place, std::string& out) {
  if (const size_t size = LiteralPlaceholder(place, out); size > 0) {
    return size;
  }
  switch (*place) {
    case 'C':
      return Color(place, out);
    case 'w':
      return TakeWrapping(place, out);
    case '<':
    case '>':
      return TakePadding(place);
    case 'g':
      return OfReflog(place);
    case 'a':
      return OfPerson(place[1], in_.text.author(), out);
    case 'c':
      return OfPerson(place[1], in_.text.committer(), out);
    case 'e':
    case 'B':
    case 's':
    case 'f':
    case 'b':
      return OfMessage(*place, out);
    default:
      return OfCommit(place, out);
  }
}

size_t FormatExpansion::Color(const char* place, std::string& out) {
  const bool colors = in_.look.colors;
  if (StartsWith(place, "C(auto)")) {
    auto_color_ = colors;
    if (colors && !out.empty()) out += kResetMark;
    return 7;
  }
  if (place[1] == '(') {
    const char* const end = std::strchr(place, ')');
    if (end == nullptr) return 0;
    const auto size = static_cast<size_t>(end - place) + 1;
    std::string_view words(place + 2, size - 3);
    const bool always = words.starts_with("always,");
    if (always) words.remove_prefix(7);
    if (words.starts_with("auto,")) words.remove_prefix(5);
    auto_color_ = false;
    if (!colors && !always) return size;
    const auto sequence = ColorSequence(words);
    if (!sequence) {
      failed_ = std::unexpected(Error{ErrorCode::kInvalidArgument,
                                      "unable to parse --pretty format"});
      return size;
    }
    out += *sequence;
    return size;
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4>
      kSimple = {{{"red", "\033[31m"},
                  {"green", "\033[32m"},
                  {"blue", "\033[34m"},
                  {"reset", kResetMark}}};
  for (const auto& [name, sequence] : kSimple) {
    if (!StartsWith(place + 1, name)) continue;
    auto_color_ = false;
    if (colors) out += sequence;
    return name.size() + 1;
  }
  return 0;
}

size_t FormatExpansion::OfCommit(const char* place, std::string& out) {
  const LoggedCommit& commit = in_.commit;
  constexpr std::string_view kTree = "tree ";
  const std::string_view tree =
      commit.content.starts_with(kTree)
          ? commit.content.substr(kTree.size(), commit.id.ToHex().size())
          : "";
  switch (*place) {
    case 'H':
      AddId(commit.id.ToHex(), out);
      return 1;
    case 'h':
      AddId(ShortId(commit.id), out);
      return 1;
    case 'T':
      out += tree;
      return 1;
    case 't':
      if (const auto id = ObjectId::FromHex(tree)) out += ShortId(*id);
      return 1;
    case 'P':
    case 'p':
      out += Parents(*place == 'P');
      return 1;
    case 'm':
      out += in_.sources.left.contains(commit.id) ? '<' : '>';
      return 1;
    case 'd':
      out += Decoration(Decorations::Brackets::kWith);
      return 1;
    case 'D':
      out += Decoration(Decorations::Brackets::kWithout);
      return 1;
    case 'N':
      if (!in_.sources.notes) return 0;
      out += Note();
      return 1;
    default:
      return 0;
  }
}

// Commits of a file have no reflog.
size_t FormatExpansion::OfReflog(const char* place) const {
  constexpr std::string_view kParts = "dDsnNeE";
  return place[1] != '\0' && kParts.contains(place[1]) ? 2 : 0;
}

size_t FormatExpansion::OfMessage(char part, std::string& out) {
  std::string_view subject = in_.text.subject();
  switch (part) {
    case 'e':
      out += in_.text.encoding().value_or("");
      break;
    case 'B':
      out += in_.text.message();
      break;
    case 's':
      out += TakeSubject(subject, " ");
      break;
    case 'f':
      out += FileNameOfSubject(subject.substr(0, subject.find('\n')));
      break;
    default:
      out += in_.text.body();
      break;
  }
  return 1;
}

void FormatExpansion::AddId(const std::string& id, std::string& out) const {
  if (auto_color_) out += kCommitMark;
  out += id;
  if (auto_color_) out += kResetMark;
}

std::string FormatExpansion::ShortId(const ObjectId& id) {
  return Checked(in_.sources.ids.Of(id));
}

std::string FormatExpansion::Parents(bool whole) {
  std::string text;
  for (const ObjectId& parent : in_.commit.parents) {
    if (!text.empty()) text += ' ';
    text += whole ? parent.ToHex() : ShortId(parent);
  }
  return text;
}

std::string FormatExpansion::Decoration(Decorations::Brackets brackets) const {
  if (!in_.sources.decorations) return "";
  return in_.sources.decorations->Of(
      in_.commit.id, brackets,
      auto_color_ ? Decorations::Colors::kWith : Decorations::Colors::kWithout);
}

std::string FormatExpansion::Date(const Person& person,
                                  const DateStyle& style) {
  return Checked(DateText(person, style, in_.sources.now));
}

std::string FormatExpansion::Note() {
  return Checked(
      in_.sources.notes->TextOf(in_.commit.id, CommitNotes::Form::kPlain));
}

std::string FormatExpansion::Checked(Result<std::string> value) {
  if (value) return *std::move(value);
  failed_ = std::unexpected(value.error());
  return "";
}

}  // namespace zpack::cli
