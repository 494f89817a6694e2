// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors in the JSON of the commands that have --json. Functions without state.

#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "zpack/result.h"

namespace zpack::cli {

// An object with "code", "message", and what is known of "path", "offset" and
// "object".
nlohmann::ordered_json ErrorToJson(const Error& error);

// Writes a document with the member "error": what a command with --json prints
// instead of its result if it fails.
void PrintJsonError(const Error& error, std::ostream& out);
// The same for wrong usage. The code is "usage".
void PrintJsonUsageError(const std::string& message, std::ostream& out);

}  // namespace zpack::cli
