// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds and opens the files of a repository that hold neither objects nor refs.
// Thread-compatible.

#pragma once

#include <memory>
#include <span>
#include <string>

#include "git/config/repository_format.h"
#include "git/files/lfs_directories.h"
#include "git/repository_location.h"
#include "object/listed_files.h"
#include "zpack/result.h"

namespace zpack {

// The files of all groups. Of FileGroup::kOther, those at and below the paths
// `others` in the git directory. Objects of Git LFS are also those in `lfs`. No
// symbolic link is followed. Files that Git made and nobody changed are not
// listed: samples of hooks, the default description, the default
// 'info/exclude'. Errors: kIo; those of ReadPortableSettings; with reftables,
// also those of reading them.
Result<ListedFiles> ListRepositoryFiles(const RepositoryLocation& location,
                                        const RepositoryFormat& format,
                                        std::span<const std::string> others,
                                        const LfsDirectories& lfs);

// As ObjectSource::OpenFile.
Result<std::unique_ptr<FileStream>> OpenRepositoryFile(
    const RepositoryLocation& location, const ListedFile& file);

}  // namespace zpack
