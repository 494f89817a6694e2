// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Switches one of the bugs on that tools/dev/mutate planted: the one whose
// number is in the environment variable ZPACK_MUTANT. The compiler includes
// this header before every source of the copy (-include). Any thread may ask.

#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace zpack_mutants {

inline std::atomic<bool> noted[10000];

// Makes the file ZPACK_MUTANT_LOG/<number>, without a descriptor, memory or a
// change of errno: a test may count or limit these.
inline void NoteReached(int number) {
  static const char* const directory = std::getenv("ZPACK_MUTANT_LOG");
  if (directory == nullptr || noted[number].exchange(true)) return;
  const int saved = errno;
  char path[1000];
  std::snprintf(path, sizeof path, "%s/%d", directory, number);
  mknodat(AT_FDCWD, path, S_IFREG | 0666, 0);
  errno = saved;
}

inline int Chosen() {
  static const int number = [] {
    const char* const value = std::getenv("ZPACK_MUTANT");
    return value == nullptr ? 0 : std::atoi(value);
  }();
  return number;
}

}  // namespace zpack_mutants

// True if mutant `number` is on. The compiler itself always gets the source
// without bugs.
constexpr bool zpack_mutant(int number) {
  // As std::is_constant_evaluated; CMake tries the compiler without C++23.
  if (__builtin_is_constant_evaluated()) return false;
  zpack_mutants::NoteReached(number);
  return number == zpack_mutants::Chosen();
}
