// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/commit_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "log/changed_files_printer.h"
#include "log/format_string.h"
#include "log/text_width.h"
#include "named_output.h"

namespace zpack::cli {
namespace {

constexpr std::string_view kIdColor = "\033[33m";
constexpr std::string_view kIdColorEnd = "\033[m";
constexpr size_t kMessageIndent = 4;

Status StatusOf(const Result<std::string>& result) {
  if (!result) return std::unexpected(result.error());
  return {};
}

}  // namespace

Status CommitPrinter::Print(const LoggedCommit& commit) {
  const CommitText text(commit.content);
  std::string printed;
  if (printed_ && !look_.terminated) printed += look_.line_end;
  printed_ = true;
  const bool own_format = look_.style == CommitStyle::kFormat;
  if (!own_format) {
    const auto first = FirstLine(commit);
    if (!first) return StatusOf(first);
    printed += *first;
  }
  const auto body = own_format ? ExpandFormat(look_, sources_, commit, text)
                               : Styled(commit, text);
  if (!body) return StatusOf(body);
  printed += *body;
  if (!own_format && look_.notes && sources_.notes) {
    const auto note =
        sources_.notes->TextOf(commit.id, CommitNotes::Form::kHeading);
    if (!note) return StatusOf(note);
    printed += *note;
  }
  if (look_.terminated && !look_.prints_nothing()) printed += look_.line_end;
  if (look_.files != FilesStyle::kNone && !commit.files.empty()) {
    if (look_.style != CommitStyle::kOneline && !look_.prints_nothing()) {
      printed += '\n';
    }
    const auto files = ChangedFilesText(commit.files, look_, sources_.ids);
    if (!files) return StatusOf(files);
    printed += *files;
  }
  out_.write(printed.data(), static_cast<std::streamsize>(printed.size()));
  if (!out_) return std::unexpected(NamedOutput{out_}.Failure());
  return {};
}

Result<std::string> CommitPrinter::FirstLine(const LoggedCommit& commit) const {
  const bool oneline = look_.style == CommitStyle::kOneline;
  std::string line;
  if (look_.colors) line += kIdColor;
  if (!oneline) line += "commit ";
  if (look_.short_commit_ids) {
    const auto id = sources_.ids.Of(commit.id);
    if (!id) return id;
    line += *id;
  } else {
    line += commit.id.ToHex();
  }
  if (look_.colors) line += kIdColorEnd;
  if (look_.decorations && sources_.decorations) {
    line +=
        sources_.decorations->Of(commit.id, Decorations::Brackets::kWith,
                                 look_.colors ? Decorations::Colors::kWith
                                              : Decorations::Colors::kWithout);
  }
  line += oneline ? ' ' : '\n';
  return line;
}

Result<std::string> CommitPrinter::Styled(const LoggedCommit& commit,
                                          const CommitText& text) {
  std::string printed;
  std::string_view rest = text.text();
  const Status headers = AddHeaders(commit, rest, printed);
  if (!headers) return std::unexpected(headers.error());
  rest = SkipBlankLines(rest);
  if (look_.style == CommitStyle::kOneline) {
    printed += TakeSubject(rest, " ");
    printed.resize(TrimLine(printed).size());
    return printed;
  }
  printed += '\n';
  const Status message = AddMessage(rest, printed);
  if (!message) return std::unexpected(message.error());
  printed.resize(TrimLine(printed).size());
  printed += '\n';
  return printed;
}

Status CommitPrinter::AddHeaders(const LoggedCommit& commit,
                                 std::string_view& text, std::string& to) {
  const bool full =
      look_.style == CommitStyle::kFull || look_.style == CommitStyle::kFuller;
  bool begun = false;
  while (!text.empty()) {
    std::string_view line = TakeTextLine(text);
    if (line == "\n") break;
    if (look_.style == CommitStyle::kRaw) {
      to += line;
      continue;
    }
    if (look_.style == CommitStyle::kOneline || line.starts_with("parent ")) {
      continue;
    }
    if (!std::exchange(begun, true)) {
      if (const Status merge = AddMerge(commit, to); !merge) return merge;
    }
    if (line.ends_with('\n')) line.remove_suffix(1);
    Status added;
    if (line.starts_with("author ")) {
      added = AddPerson("Author", line.substr(7), to);
    } else if (line.starts_with("committer ") && full) {
      added = AddPerson("Commit", line.substr(10), to);
    }
    if (!added) return added;
  }
  return {};
}

Status CommitPrinter::AddMerge(const LoggedCommit& commit,
                               std::string& to) const {
  if (commit.parents.size() < 2) return {};
  to += "Merge:";
  for (const ObjectId& parent : commit.parents) {
    const auto id = sources_.ids.Of(parent);
    if (!id) return StatusOf(id);
    to.append(" ").append(*id);
  }
  to += '\n';
  return {};
}

Status CommitPrinter::AddPerson(std::string_view what, std::string_view line,
                                std::string& to) {
  auto person = ParsePerson(line);
  if (!person) return {};
  if (look_.map_names) sources_.mailmap.Map(person->name, person->mail);
  const bool fuller = look_.style == CommitStyle::kFuller;
  to.append(what).append(": ").append(fuller ? 4 : 0, ' ');
  const Status named =
      AddText(fmt::format("{} <{}>", person->name, person->mail),
              what == "Author" ? MessageFilter::Field::kAuthor
                               : MessageFilter::Field::kCommitter,
              to);
  if (!named) return named;
  to += '\n';
  if (look_.style != CommitStyle::kMedium && !fuller) return {};
  const auto date = DateText(*person, look_.date, sources_.now);
  if (!date) return StatusOf(date);
  to.append(fuller ? what : "").append(fuller ? "Date: " : "Date:   ");
  to.append(*date).append("\n");
  return {};
}

Status CommitPrinter::AddMessage(std::string_view text, std::string& to) {
  bool first = true;
  while (!text.empty()) {
    const std::string_view line = TrimLine(TakeTextLine(text));
    if (line.empty() && first) continue;
    if (line.empty() && look_.style == CommitStyle::kShort) break;
    first = false;
    to.append(kMessageIndent, ' ');
    if (const Status added = AddLine(line, to); !added) return added;
    to += '\n';
  }
  return {};
}

// Like Git, leaves tabs as they are after what has no known width.
Status CommitPrinter::AddLine(std::string_view line, std::string& to) {
  while (look_.tab_width > 0) {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) break;
    const auto width = PlainTextWidth(line.substr(0, tab));
    if (!width) break;
    const Status added =
        AddText(line.substr(0, tab), MessageFilter::Field::kMessage, to);
    if (!added) return added;
    to.append(look_.tab_width - *width % look_.tab_width, ' ');
    line.remove_prefix(tab + 1);
  }
  return AddText(line, MessageFilter::Field::kMessage, to);
}

Status CommitPrinter::AddText(std::string_view text, MessageFilter::Field field,
                              std::string& to) {
  if (!look_.colors) {
    to += text;
    return {};
  }
  const auto shown = filter_.Highlight(text, field);
  if (!shown) return StatusOf(shown);
  to += *shown;
  return {};
}

}  // namespace zpack::cli
