// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/log_commit_text.h"

#include <iconv.h>
#include <strings.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "log/text_width.h"

namespace zpack::cli {
namespace {

constexpr std::string_view kEncodingHeader = "encoding ";
constexpr std::string_view kDigitsOfDates = "0123456789";

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool NamesUtf8(std::string_view encoding) {
  return EqualsIgnoringCase(encoding, "UTF-8") ||
         EqualsIgnoringCase(encoding, "UTF8");
}

struct IconvCloser {
  void operator()(void* conversion) const { iconv_close(conversion); }
};
using IconvHandle =
    std::unique_ptr<std::remove_pointer_t<iconv_t>, IconvCloser>;

IconvHandle OpenIconv(const std::string& from) {
  const auto open = [](const char* name) {
    iconv_t const opened = iconv_open("UTF-8", name);
    return IconvHandle(reinterpret_cast<intptr_t>(opened) == -1 ? nullptr
                                                                : opened);
  };
  IconvHandle conversion = open(from.c_str());
  // A name that Git knows beside those of the C library.
  if (conversion == nullptr && EqualsIgnoringCase(from, "latin-1")) {
    conversion = open("ISO-8859-1");
  }
  return conversion;
}

// `text` in UTF-8; nothing if that fails.
std::optional<std::string> ToUtf8(std::string text, const std::string& from) {
  const IconvHandle conversion = OpenIconv(from);
  if (conversion == nullptr) return std::nullopt;
  std::string out(text.size() + 16, '\0');
  char* in_at = text.data();
  size_t in_left = text.size();
  size_t written = 0;
  while (true) {
    char* out_at = out.data() + written;
    size_t out_left = out.size() - written;
    const size_t converted =
        iconv(conversion.get(), &in_at, &in_left, &out_at, &out_left);
    written = out.size() - out_left;
    if (converted != static_cast<size_t>(-1)) break;
    if (errno != E2BIG) return std::nullopt;
    out.resize(out.size() * 2 + in_left);
  }
  out.resize(written);
  return out;
}

// The value of the first header `name`, which ends in a space.
std::optional<std::string> FindHeader(std::string_view text,
                                      std::string_view name) {
  while (!text.empty()) {
    std::string_view line = TakeTextLine(text);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.empty()) break;
    if (line.starts_with(name)) return std::string(line.substr(name.size()));
  }
  return std::nullopt;
}

void RemoveEncodingHeader(std::string& text) {
  size_t at = 0;
  while (!std::string_view(text).substr(at).starts_with(kEncodingHeader)) {
    at = text.find('\n', at);
    if (at == std::string::npos || ++at == text.size() || text[at] == '\n') {
      return;
    }
  }
  const size_t end = text.find('\n', at);
  if (end != std::string::npos) text.erase(at, end + 1 - at);
}

bool IsTitleCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '.' || c == '_';
}

}  // namespace

std::optional<Person> ParsePerson(std::string_view line) {
  const size_t open = line.find('<');
  if (open == std::string_view::npos) return std::nullopt;
  const size_t close = line.find('>', open);
  if (close == std::string_view::npos) return std::nullopt;
  Person person;
  person.name = TrimLine(line.substr(0, open));
  person.mail = line.substr(open + 1, close - open - 1);
  // The mail may have further brackets.
  std::string_view rest = line.substr(line.rfind('>') + 1);
  const auto skip_spaces = [&] {
    while (!rest.empty() && IsGitSpace(rest.front())) rest.remove_prefix(1);
  };
  const auto digits = [&](size_t from) {
    return std::min(rest.find_first_not_of(kDigitsOfDates, from), rest.size());
  };
  skip_spaces();
  const std::string_view date = rest.substr(0, digits(0));
  rest.remove_prefix(date.size());
  skip_spaces();
  if (date.empty() || rest.empty() ||
      (rest.front() != '+' && rest.front() != '-') || digits(1) == 1) {
    return person;
  }
  person.date = date;
  person.zone = rest.substr(0, digits(1));
  return person;
}

std::string_view TakeTextLine(std::string_view& text) {
  if (text.empty()) return text;
  const size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, size);
  text.remove_prefix(size);
  return line;
}

std::string_view TrimLine(std::string_view line) {
  while (!line.empty() && IsGitSpace(line.back())) line.remove_suffix(1);
  return line;
}

std::string_view SkipBlankLines(std::string_view text) {
  while (!text.empty()) {
    std::string_view rest = text;
    if (!TrimLine(TakeTextLine(rest)).empty()) break;
    text = rest;
  }
  return text;
}

std::string TakeSubject(std::string_view& text, std::string_view separator) {
  std::string subject;
  bool first = true;
  while (!text.empty()) {
    const std::string_view line = TrimLine(TakeTextLine(text));
    if (line.empty()) break;
    if (!first) subject += separator;
    subject += line;
    first = false;
  }
  return subject;
}

std::string FileNameOfSubject(std::string_view subject) {
  std::string name;
  bool gap = false;
  for (size_t at = 0; at < subject.size(); ++at) {
    if (!IsTitleCharacter(subject[at])) {
      gap = true;
      continue;
    }
    if (gap && !name.empty()) name += '-';
    gap = false;
    name += subject[at];
    while (subject[at] == '.' && subject.substr(at + 1).starts_with('.')) ++at;
  }
  while (name.ends_with('.') || name.ends_with('-')) name.pop_back();
  return name;
}

CommitText::CommitText(std::string_view content)
    : text_(content.substr(0, content.find('\0'))) {
  encoding_ = FindHeader(text_, kEncodingHeader);
  if (encoding_) {
    auto converted = NamesUtf8(*encoding_) ? text_ : ToUtf8(text_, *encoding_);
    if (converted) {
      text_ = *std::move(converted);
      RemoveEncodingHeader(text_);
    }
  }
  std::string_view rest = text_;
  while (!rest.empty()) {
    std::string_view line = TakeTextLine(rest);
    if (line == "\n") break;
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.starts_with("author ")) author_ = line.substr(7);
    if (line.starts_with("committer ")) committer_ = line.substr(10);
  }
  message_ = rest;
  subject_ = SkipBlankLines(message_);
  body_ = subject_;
  TakeSubject(body_, "");
  body_ = SkipBlankLines(body_);
}

}  // namespace zpack::cli
