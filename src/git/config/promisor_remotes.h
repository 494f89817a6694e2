// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The configuration of partial clones (git-config(1),
// "remote.<name>.promisor"), and the packs that came from promisor remotes.
// Functions without state; any thread.

#pragma once

#include <string>
#include <vector>

#include "git/config/configuration_file.h"
#include "object/promises.h"
#include "zpack/result.h"

namespace zpack {

// The promisor remotes in `config`, in the order in which Git asks them. Their
// URLs are without credentials. Remotes whose name or values a .zpack file
// cannot hold are left out. kGit if a value is malformed.
Result<PromisorRemotes> ReadPromisorRemotes(const Configuration& config);

// The ids, in `format`, in the promisor packs of `object_directories`. kIo if a
// directory cannot be read; kSourceCorrupt if a pack index is malformed.
Result<ObjectIdTable> ListPromisorPacks(
    ObjectFormat format, const std::vector<std::string>& object_directories);

// The line under [extensions] that makes a repository a partial clone of
// `remotes`, of which there is at least one.
std::string PartialCloneExtension(const std::vector<PromisorRemote>& remotes);

// The settings of `remotes` that the configuration file `path` does not have,
// in its format. Leaves out a URL if the file has any for the remote. Errors:
// those of ReadConfigurationFile.
Result<std::string> MissingRemoteSettings(
    const std::string& path, const std::vector<PromisorRemote>& remotes);

}  // namespace zpack
