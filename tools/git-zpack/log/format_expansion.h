// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The text that a format gives for one commit. What a placeholder gives may
// depend on the text before it: '%w' wraps that text, '%<' and '%>' fill
// columns. Used once. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "log/log_commit_text.h"
#include "log/log_look.h"
#include "log/wrapped_text.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::cli {

class FormatExpansion {
 public:
  struct Input {
    const LogLook& look;
    const LogSources& sources;
    const LoggedCommit& commit;
    const CommitText& text;
  };

  explicit FormatExpansion(const Input& input) : in_(input) {}

  Result<std::string> Run();

 private:
  // Where a text stands in its columns.
  enum class Place : uint8_t { kLeft, kRight, kRightOrEarlier, kMiddle };
  enum class Cut : uint8_t { kNone, kLeft, kMiddle, kRight };
  struct Padding {
    ptrdiff_t columns = 0;
    bool to_column = false;  // up to that column, rather than that many
    Place place = Place::kLeft;
  };

  // These append to `out` what `place`, which follows a '%', stands for, and
  // return its characters; 0 if it is not a placeholder. `place` ends in a
  // zero byte.
  size_t Item(const char* place);
  size_t One(const char* place, std::string& out);
  size_t Color(const char* place, std::string& out);
  size_t OfCommit(const char* place, std::string& out);
  size_t OfReflog(const char* place) const;
  size_t OfPerson(char part, std::string_view line, std::string& out);
  size_t OfMessage(char part, std::string& out);

  size_t TakeWrapping(const char* place, std::string& out);
  size_t TakePadding(const char* place);
  size_t Padded(const char* place);
  ptrdiff_t ColumnsOf(const Padding& padding) const;
  void StealSpaces(ptrdiff_t width, ptrdiff_t& columns, std::string& part);
  void Rewrap(const Wrapping& next, std::string& out);

  // A value with the color of commits around it, after '%C(auto)'.
  void AddId(const std::string& id, std::string& out) const;
  std::string ShortId(const ObjectId& id);
  std::string Parents(bool whole);
  std::string Decoration(Decorations::Brackets brackets) const;
  std::string Date(const Person& person, const DateStyle& style);
  std::string Note();
  // The value, or nothing after remembering the error.
  std::string Checked(Result<std::string> value);

  const Input in_;
  std::string out_;
  Status failed_;
  bool auto_color_ = false;
  std::optional<Padding> padding_;
  Cut cut_ = Cut::kNone;  // of texts that are too long for it
  Wrapping wrapping_;
  size_t wrap_from_ = 0;
};

}  // namespace zpack::cli
