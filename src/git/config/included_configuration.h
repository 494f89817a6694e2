// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Configuration files together with the files that they include (git-config(1),
// "Includes"). A function without state; any thread.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "git/config/configuration_file.h"
#include "git/config/include_condition.h"
#include "zpack/result.h"

namespace zpack {

struct ConfigurationFile {
  std::string path;
  Denied denied = Denied::kError;
};

// The entries of `files` and then those of `command_line`. The entries of an
// included file follow the entry that includes it. Errors as ReadConfiguration.
Result<Configuration> ReadWithIncludes(
    std::span<const ConfigurationFile> files,
    std::span<const ConfigEntry> command_line, const IncludeContext& context);

}  // namespace zpack
