// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// ZPACK_CHECK aborts the program, in every build, if the program itself has a
// bug. It never checks input.

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
