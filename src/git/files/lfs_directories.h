// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where Git LFS keeps the objects of a repository, besides 'lfs/objects' in its
// git directory. Functions without state; any thread.

#pragma once

#include <string>
#include <vector>

#include "git/config/configuration_file.h"
#include "git/repository_location.h"
#include "zpack/result.h"

namespace zpack {

// The objects are below `root`/`name`. Both are absolute, without links.
struct LfsDirectory {
  std::string root;
  std::string name;
};

struct LfsDirectories {
  std::vector<LfsDirectory> found;
  // For people: objects that may be those of other repositories as well.
  std::vector<std::string> left_out;
};

// The value of lfs.storage, or an empty string.
std::string LfsStorage(const Configuration& config);

// The directories of the alternates, as Git LFS finds them: beside the object
// directory of an alternate. Also that of `storage`, the value of lfs.storage,
// if it is in the git directory. Another storage may be one that several
// repositories share, so it is only named. Errors as ListObjectDirectories.
Result<LfsDirectories> FindLfsDirectories(const RepositoryLocation& location,
                                          const std::string& storage);

}  // namespace zpack
