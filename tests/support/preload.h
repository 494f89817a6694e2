// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the libraries for LD_PRELOAD share. Any thread.

#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/types.h>

namespace zpack::testing {

// The function `name` that a function of this library replaces.
template <typename Function>
Function* Next(Function* /*replaced*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// The mode among the arguments of open(2), if there is one.
inline mode_t ModeOf(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace zpack::testing

// Define open(2) and openat(2) under a name that they have. Each calls
// `handle(directory, path, flags, call)`, where `call()` calls what is
// replaced.
#define ZPACK_REPLACE_OPEN(name, handle)                          \
  int name(const char* path, int flags, ...) {                    \
    va_list arguments;                                            \
    va_start(arguments, flags);                                   \
    const mode_t mode = zpack::testing::ModeOf(flags, arguments); \
    va_end(arguments);                                            \
    static auto* const next = zpack::testing::Next(name, #name);  \
    return handle(AT_FDCWD, path, flags,                          \
                  [&] { return next(path, flags, mode); });       \
  }
#define ZPACK_REPLACE_OPENAT(name, handle)                             \
  int name(int directory, const char* path, int flags, ...) {          \
    va_list arguments;                                                 \
    va_start(arguments, flags);                                        \
    const mode_t mode = zpack::testing::ModeOf(flags, arguments);      \
    va_end(arguments);                                                 \
    static auto* const next = zpack::testing::Next(name, #name);       \
    return handle(directory, path, flags,                              \
                  [&] { return next(directory, path, flags, mode); }); \
  }
