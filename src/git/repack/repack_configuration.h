// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the configuration of a repository that concerns packs. A function
// without state; any thread.

#pragma once

#include "git/repository_location.h"
#include "pack/repack_settings.h"
#include "zpack/result.h"

namespace zpack {

// Reads the settings. Values that are not set have Git's defaults, except
// pack.window, whose default is 20. Errors as ReadRepositoryFormat,
// ReadConfiguration and ListObjectDirectories; kGit if a value is invalid.
Result<RepackSettings> ReadRepackSettings(const RepositoryLocation& location);

}  // namespace zpack
