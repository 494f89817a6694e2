// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The process-wide options of libgit2, and its version.

#pragma once

#include <string>

namespace zpack {

// Version of the library that is linked, such as "1.5.1".
std::string Libgit2Version();

// As long as an object of this class exists, libgit2 has the options that this
// library needs, for the whole process. The destructor of the last such object
// restores the old options. The hash check and the object cache get libgit2's
// defaults, because libgit2 does not report their old values. Any thread.
class Libgit2Options {
 public:
  Libgit2Options();
  ~Libgit2Options();
  Libgit2Options(const Libgit2Options&) = delete;
  Libgit2Options& operator=(const Libgit2Options&) = delete;
};

}  // namespace zpack
