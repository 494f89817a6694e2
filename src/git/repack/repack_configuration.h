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

// What a repack writes beside packs. Settings of other things are not read:
// an invalid value does not matter to Git either.
struct RepackProducts {
  bool cruft_pack = true;
  bool multi_pack_index = true;
};

// Reads the settings. Values that are not set have Git's defaults, except
// pack.window, whose default is 20. Errors as ReadRepositoryFormat,
// ReadConfiguration and ListObjectDirectories; kGit if a value is invalid.
Result<RepackSettings> ReadRepackSettings(const RepositoryLocation& location,
                                          const RepackProducts& products = {});

}  // namespace zpack
