// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the formats of 'verify' print if the file could not be checked.
// PrintVerifyFailure chooses one.

#pragma once

#include <iosfwd>
#include <string>

#include "zpack/result.h"

namespace zpack::cli {

void PrintJunitFailure(const std::string& file, const Error& error,
                       std::ostream& out);
void PrintGithubFailure(const std::string& file, const Error& error,
                        std::ostream& out);
void PrintSarifFailure(const std::string& file, const Error& error,
                       std::ostream& out);

}  // namespace zpack::cli
