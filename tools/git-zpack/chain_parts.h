// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What commands share about files that depend on each other. Functions without
// state; any thread.

#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli.h"
#include "zpack/file_part.h"
#include "zpack/options.h"

namespace zpack::cli {

// The files that a file depends on: a line for each of `parts`, the last one
// first, which begins with `title`.
std::string PartsText(std::string_view title,
                      const std::vector<FilePart>& parts);
// The same in the order of object numbers.
nlohmann::ordered_json PartsToJson(const std::vector<FilePart>& parts);

// Warns if `file` was written where what it depends on is not found: it is
// beside `other`, and neither beside `file` nor where `backing` or
// ZPACK_BACKING says.
void WarnOfPlace(const std::string& other, const std::string& file,
                 const std::vector<std::string>& backing, std::ostream& err);

// The value of an option without a value: how often it was given.
struct Times {
  int count = 0;
};
// Boost finds this function by its name, and calls it for each occurrence.
// NOLINTNEXTLINE(readability-identifier-naming)
void validate(boost::any& value, const std::vector<std::string>& text,
              Times* type, int unused);

// Adds --force, which may be given twice, with this help.
void AddForceOption(po::options_description& options, const char* help);
// If `error` came because `output` exists or others depend on it, says that
// --force may be given, or given twice.
void HintAtForce(const po::variables_map& options, const Error& error,
                 const std::string& output, std::ostream& err);
// What --force says of files that depend on the one that is replaced.
Dependents DependentsOf(const po::variables_map& options);

}  // namespace zpack::cli
