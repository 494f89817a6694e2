// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What clients that only fetch files go by (git-update-server-info(1)).
// Functions without state; one call at a time.

#pragma once

#include <string>

#include "base/file.h"
#include "base/shared_mode.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Brings 'info/refs' in `common_directory`, which lists `refs`, up to date.
Status UpdateRefList(FileSystem& file_system,
                     const std::string& common_directory,
                     const RefsSnapshot& refs, const SharedMode& shared);

// The same for 'info/packs' in `object_directory`, which lists its packs.
Status UpdatePackList(FileSystem& file_system,
                      const std::string& object_directory,
                      const SharedMode& shared);

}  // namespace zpack
