// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The settings of a repository that another copy of the repository can use.
// Functions without state; any thread.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "zpack/result.h"

namespace zpack {

struct PortableSettings {
  // In the format of git-config(1). Empty if there are none.
  std::string text;
  // For people: the settings that were left out or changed because they may
  // hold a secret. Holds no secret itself.
  std::vector<std::string> left_out;
};

// Reads the settings in the configuration files `paths`, one after the other,
// without those of files that they include. Leaves out
// - settings that describe this copy: core.bare, core.worktree, lfs.storage,
//   the format version, the extensions, what the file system can do, and which
//   part of the files is checked out;
// - settings that may hold a secret, by section, key, subsection or value, and
//   the user and password of URLs; git-zpack-convert(1), under --without, has
//   the rules. Of the URLs of SSH only the password is left out, since Git
//   needs the user;
// - comments, which may hold anything.
// Errors: those of ReadConfigurationFile.
Result<PortableSettings> ReadPortableSettings(
    std::span<const std::string> paths);

}  // namespace zpack
