// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The process-wide options of libgit2, and its version.

#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
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

// As long as an object of this class exists, libgit2 finds no configuration and
// no attributes of the user and of the system, in the whole process. Any
// thread; waits for all others, and for every Libgit2UserFiles.
class NoLibgit2UserFiles {
 public:
  NoLibgit2UserFiles();
  ~NoLibgit2UserFiles();
  NoLibgit2UserFiles(const NoLibgit2UserFiles&) = delete;
  NoLibgit2UserFiles& operator=(const NoLibgit2UserFiles&) = delete;

 private:
  static constexpr size_t kLevels = 4;

  std::unique_lock<std::shared_mutex> lock_;
  std::array<std::string, kLevels> paths_;  // where they were searched
};

// As long as an object of this class exists, libgit2 finds these files. Any
// thread; waits for a NoLibgit2UserFiles.
class Libgit2UserFiles {
 public:
  Libgit2UserFiles();

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

}  // namespace zpack
