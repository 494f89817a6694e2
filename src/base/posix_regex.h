// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Owns an expression of regex(3). A compiled one may be used by any thread.

#pragma once

#include <regex.h>

#include <memory>
#include <string>

namespace zpack {

struct FreePosixRegex {
  void operator()(regex_t* regex) const {
    regfree(regex);
    delete regex;
  }
};
using PosixRegex = std::unique_ptr<regex_t, FreePosixRegex>;

// Compiles `pattern` with the flags of regcomp(3). Null if it is not valid.
inline PosixRegex CompilePosixRegex(const std::string& pattern, int flags) {
  auto memory = std::make_unique<regex_t>();
  if (regcomp(memory.get(), pattern.c_str(), flags) != 0) return nullptr;
  return PosixRegex(memory.release());
}

}  // namespace zpack
