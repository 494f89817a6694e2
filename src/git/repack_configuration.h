// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads what a repository's configuration says about packs. A function without
// state; any thread.

#pragma once

#include "git/repository_location.h"
#include "pack/repack_settings.h"
#include "zpack/result.h"

namespace zpack {

// Reads the settings, with Git's defaults. Errors are those of OpenRepository,
// and kGit for a value that makes no sense.
Result<RepackSettings> ReadRepackSettings(const RepositoryLocation& location);

}  // namespace zpack
