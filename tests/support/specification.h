// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads FORMAT.md, the file ZPACK_SPECIFICATION, its worked example, the file
// ZPACK_WORKED_EXAMPLE, and their tables.

#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace zpack::testing {

// The cells of a row.
using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

inline std::string ReadDocument(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

inline std::string ReadSpecification() {
  return ReadDocument(ZPACK_SPECIFICATION);
}

inline std::string ReadWorkedExample() {
  return ReadDocument(ZPACK_WORKED_EXAMPLE);
}

inline std::string Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return std::string(
      text.substr(first, text.find_last_not_of(' ') - first + 1));
}

inline std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, separator);) {
    parts.push_back(Trim(part));
  }
  return parts;
}

// The rows under the next line `header` of `text`, from `from` on.
inline Rows ReadTable(const std::string& text, const std::string& header,
                      size_t from = 0) {
  Rows rows;
  const size_t at = text.find('\n' + header + '\n', from);
  EXPECT_NE(at, std::string::npos) << header;
  if (at == std::string::npos) return rows;
  std::istringstream in(text.substr(at + header.size() + 2));
  std::string line;
  std::getline(in, line);  // |---|---|
  while (std::getline(in, line) && line.starts_with('|')) {
    rows.push_back(Split(line.substr(1), '|'));
  }
  return rows;
}

}  // namespace zpack::testing
