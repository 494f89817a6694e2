// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a commit, however broken, as Git reads it for people.
// Thread-compatible.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zpack::cli {

// The parts of "<name> <<mail>> <date> <zone>". Date and zone are both empty if
// one of them is missing.
struct Person {
  std::string_view name;
  std::string_view mail;
  std::string_view date;
  std::string_view zone;
};

// Nothing without a mail.
std::optional<Person> ParsePerson(std::string_view line);

// Removes the first line of `text`, and returns it with its line feed.
std::string_view TakeTextLine(std::string_view& text);
// `line` without spaces at its end.
std::string_view TrimLine(std::string_view line);
// `text` from the first line that is not blank.
std::string_view SkipBlankLines(std::string_view text);
// Removes the lines up to the first blank one, and that line, and returns them
// with `separator` between them.
std::string TakeSubject(std::string_view& text, std::string_view separator);
// `subject` as a part of a file name.
std::string FileNameOfSubject(std::string_view subject);

class CommitText {
 public:
  // Takes `content` up to a zero byte, in UTF-8 if its encoding is known.
  explicit CommitText(std::string_view content);
  CommitText(const CommitText&) = delete;  // members point into text_
  CommitText& operator=(const CommitText&) = delete;

  // Headers and message. Without the header that names the encoding.
  const std::string& text() const { return text_; }
  // What that header says.
  const std::optional<std::string>& encoding() const { return encoding_; }
  // The last of each.
  std::string_view author() const { return author_; }
  std::string_view committer() const { return committer_; }
  // After the empty line.
  std::string_view message() const { return message_; }
  // From the first line that is not blank; begins with the subject.
  std::string_view subject() const { return subject_; }
  // After the subject and blank lines.
  std::string_view body() const { return body_; }

 private:
  std::string text_;
  std::optional<std::string> encoding_;
  std::string_view author_;
  std::string_view committer_;
  std::string_view message_;
  std::string_view subject_;
  std::string_view body_;
};

}  // namespace zpack::cli
