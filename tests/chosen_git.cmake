# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# ctest reads this file before it runs tests. With ZPACK_GIT=DIRECTORY in the
# environment, the `git` in DIRECTORY is first on PATH, so that all tests start
# that Git. tools/dev/build-git builds one.

if(NOT "$ENV{ZPACK_GIT}" STREQUAL "")
  if(NOT IS_ABSOLUTE "$ENV{ZPACK_GIT}" OR NOT EXISTS "$ENV{ZPACK_GIT}/git")
    message(FATAL_ERROR
      "ZPACK_GIT must be the absolute path of a directory with the program git, not '$ENV{ZPACK_GIT}'")
  endif()
  set(ENV{PATH} "$ENV{ZPACK_GIT}:$ENV{PATH}")
endif()
