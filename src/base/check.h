// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// ZPACK_CHECK ends the program when the program itself is wrong, in every
// build. It is never used on input.

#pragma once

#include <cstdio>
#include <cstdlib>

#define ZPACK_CHECK(condition)                                     \
  do {                                                             \
    if (!(condition)) {                                            \
      std::fprintf(stderr, "BUG: %s:%d: %s\n", __FILE__, __LINE__, \
                   #condition);                                    \
      std::abort();                                                \
    }                                                              \
  } while (false)
