// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files for clients that only download files (git-update-server-info(1)).
// Functions without state; one call at a time.

#pragma once

#include <string>

#include "base/file.h"
#include "base/shared_mode.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Updates 'info/refs' in `common_directory`, the list of `refs`.
Status UpdateRefList(FileSystem& file_system,
                     const std::string& common_directory,
                     const RefsSnapshot& refs, const SharedMode& shared);

// Updates 'info/packs' in `object_directory`, the list of its packs.
Status UpdatePackList(FileSystem& file_system,
                      const std::string& object_directory,
                      const SharedMode& shared);

}  // namespace zpack
