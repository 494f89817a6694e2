// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user can do about a damaged .zpack file. Functions without state.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "verify/verify_findings.h"

namespace zpack::cli {

enum class ParityHint : uint8_t {
  kUnknown,   // nobody looked for parity
  kEnough,    // parity can repair the damage
  kDamaged,   // only the parity is damaged
  kGone,      // only the parity is damaged, and nothing of it is left
  kTooLittle  // there is too little parity, or none
};

// Prints a line for each command that may help with the damaged file at `path`,
// and says when. `damaged` is the file with the damage, if that may be one that
// it depends on.
void PrintDamageHints(const std::string& path, ParityHint parity,
                      std::ostream& err, const std::string& damaged = {});
// The same for what was found in a file, unless nothing is damaged. What came
// from standard input has no path.
void PrintDamageHints(const VerifyFindings& findings, std::ostream& err);

}  // namespace zpack::cli
