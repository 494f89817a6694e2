// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The process-wide options of libgit2.

#pragma once

namespace zpack {

// As long as one of these exists, libgit2's options, which are those of the
// whole process, are the ones that this library depends on. When the last one
// goes, the options are again what they were; those that cannot be asked for
// (hash check, cache of objects) get libgit2's defaults. Any thread.
class Libgit2Options {
 public:
  Libgit2Options();
  ~Libgit2Options();
  Libgit2Options(const Libgit2Options&) = delete;
  Libgit2Options& operator=(const Libgit2Options&) = delete;
};

}  // namespace zpack
