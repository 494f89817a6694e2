// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Repositories whose refs are reftables, made of those that any git binary can
// make. Thread-compatible.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/options.h"

namespace zpack::testing {

// How ExpectRoundTrip stores the refs of the repositories that it takes through
// git-zpack: as files, unless ZPACK_TEST_REF_FORMAT=reftable is in the
// environment.
RefStorage TestRefStorage();

// While this exists, the refs and reflogs of the repository at `path`, and of
// its linked worktrees, are reftables. Git versions without reftables refuse
// the repository during that time.
class AsReftable {
 public:
  explicit AsReftable(const std::string& path);
  ~AsReftable();
  AsReftable(const AsReftable&) = delete;
  AsReftable& operator=(const AsReftable&) = delete;

 private:
  struct Moved {
    std::filesystem::path from;
    std::filesystem::path to;
  };

  // Moves a file or directory away, until the destructor moves it back.
  void MoveAway(const std::filesystem::path& path);
  void MakeTable(const std::string& git_directory);

  std::string common_;
  ObjectFormat format_;
  std::vector<std::filesystem::path> made_;
  std::vector<Moved> moved_;
};

}  // namespace zpack::testing
