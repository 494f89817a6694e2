// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/commit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/hex.h"

namespace zpack::format {
namespace {

void AppendText(std::string_view text, Bytes& out) {
  Append(out, AsBytes(text));
}

void AppendIdLine(std::string_view word, const ObjectId& id, Bytes& out) {
  AppendText(word, out);
  AppendHex(id.bytes(), out);
  out.push_back('\n');
}

void AppendPerson(std::string_view word, const CommitPerson& person,
                  Bytes& out) {
  AppendText(word, out);
  AppendText(person.identity, out);
  const fmt::format_int time(person.time);
  out.push_back(' ');
  AppendText({time.data(), time.size()}, out);
  out.push_back(' ');
  AppendText(person.time_zone, out);
  out.push_back('\n');
}

// If the line at the front of `rest` begins with `word`, removes the line and
// returns the part after `word`, without the line feed. Otherwise nothing.
std::optional<std::string_view> TakeLine(std::string_view word,
                                         std::string_view& rest) {
  const size_t end = rest.find('\n');
  if (end == std::string_view::npos || !rest.starts_with(word)) {
    return std::nullopt;
  }
  const std::string_view line = rest.substr(word.size(), end - word.size());
  rest.remove_prefix(end + 1);
  return line;
}

bool SplitId(std::string_view hex, ObjectFormat format, ObjectId& id) {
  const auto parsed = ObjectId::FromHex(hex);
  if (!parsed || parsed->bytes().size() != ObjectIdWidth(format)) return false;
  id = *parsed;
  return true;
}

// Returns `malformed` for a line of another form.
CommitFlaw SplitPerson(std::optional<std::string_view> line,
                       CommitFlaw malformed, CommitPerson& person) {
  if (!line) return malformed;
  const size_t end = line->rfind('>');
  if (end == std::string_view::npos) return malformed;
  person.identity = line->substr(0, end + 1);
  std::string_view rest = line->substr(end + 1);
  if (!rest.starts_with(' ')) return malformed;
  rest.remove_prefix(1);
  const auto [next, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), person.time);
  if (error != std::errc()) return CommitFlaw::kTime;
  rest.remove_prefix(static_cast<size_t>(next - rest.data()));
  if (!rest.starts_with(' ')) return malformed;
  person.time_zone = rest.substr(1);
  // The stream stores both with a zero byte at the end.
  return line->contains('\0') ? CommitFlaw::kZeroByte : CommitFlaw::kNone;
}

}  // namespace

void AppendCommit(const CommitText& text, Bytes& out) {
  AppendIdLine("tree ", text.tree, out);
  for (const ObjectId& parent : text.parents) {
    AppendIdLine("parent ", parent, out);
  }
  AppendPerson("author ", text.author, out);
  AppendPerson("committer ", text.committer, out);
  Append(out, text.headers);
  Append(out, text.message);
}

bool IsSplit(const CommitText& text) {
  for (const CommitPerson* person : {&text.author, &text.committer}) {
    if (!person->identity.ends_with('>') || person->identity.contains('\n') ||
        person->time_zone.contains('>') || person->time_zone.contains('\n')) {
      return false;
    }
  }
  const std::string_view headers = AsText(text.headers);
  if (headers.starts_with('\n') || headers.contains("\n\n")) return false;
  if (text.message.empty()) return true;
  return text.message.front() == '\n' &&
         (headers.empty() || headers.ends_with('\n'));
}

std::string_view FlawName(CommitFlaw flaw) {
  switch (flaw) {
    case CommitFlaw::kTree:
      return "no valid tree line";
    case CommitFlaw::kParent:
      return "malformed parent";
    case CommitFlaw::kAuthor:
      return "malformed author";
    case CommitFlaw::kCommitter:
      return "malformed committer";
    case CommitFlaw::kTime:
      return "unusual time";
    case CommitFlaw::kZeroByte:
      return "zero byte in author or committer";
    case CommitFlaw::kIdInCapitals:
      return "id in capitals";
    case CommitFlaw::kNone:
      break;
  }
  return "none";
}

CommitFlaw SplitCommit(ByteView content, ObjectFormat format,
                       CommitText& text) {
  std::string_view rest = AsText(content);
  text.parents.clear();
  auto line = TakeLine("tree ", rest);
  if (!line || !SplitId(*line, format, text.tree)) return CommitFlaw::kTree;
  while ((line = TakeLine("parent ", rest))) {
    ObjectId parent;
    if (!SplitId(*line, format, parent)) return CommitFlaw::kParent;
    text.parents.push_back(parent);
  }
  CommitFlaw flaw =
      SplitPerson(TakeLine("author ", rest), CommitFlaw::kAuthor, text.author);
  if (flaw != CommitFlaw::kNone) return flaw;
  flaw = SplitPerson(TakeLine("committer ", rest), CommitFlaw::kCommitter,
                     text.committer);
  if (flaw != CommitFlaw::kNone) return flaw;
  // The headers end before the first empty line.
  size_t headers = 0;
  if (!rest.starts_with('\n')) {
    const size_t end = rest.find("\n\n");
    headers = end == std::string_view::npos ? rest.size() : end + 1;
  }
  text.headers = AsBytes(rest.substr(0, headers));
  text.message = AsBytes(rest.substr(headers));

  Bytes rebuilt;
  rebuilt.reserve(content.size());
  AppendCommit(text, rebuilt);
  if (std::ranges::equal(rebuilt, content)) return CommitFlaw::kNone;
  // Only numbers have a shorter form.
  return rebuilt.size() == content.size() ? CommitFlaw::kIdInCapitals
                                          : CommitFlaw::kTime;
}

}  // namespace zpack::format
