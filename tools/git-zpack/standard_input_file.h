// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Standard input as a .zpack file. Changes descriptor 0 of the process.

#pragma once

#include <string>

#include "zpack/result.h"

namespace zpack::cli {

// Makes standard input a regular file that can be opened, and returns its path
// '/dev/stdin'. If standard input is something other than a regular file that
// is read from its start, copies it into a temporary file without a name first.
//
// Errors: kInvalidArgument if standard input is a terminal; kIo.
Result<std::string> StandardInputAsFile();

// The name of standard input in results and messages.
inline constexpr const char* kStandardInputName = "<stdin>";

// Returns a message of the library with that name in place of '/dev/stdin'.
std::string WithStandardInputNamed(std::string message);

}  // namespace zpack::cli
