// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a Git repository as an ObjectSource. The source may be used from
// several threads.

#pragma once

#include <memory>
#include <string>

#include "git/objects/object_database.h"
#include "git/repository_location.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// Opens the repository. kUnsupported, with the reason, if the repository cannot
// be read (another object format, reftable); kSourceCorrupt if it has no object
// directory, or if alternates are nested too deep; kNotFound, kGit and kIo. A
// missing alternate is not an error (ObjectSource::MissingAlternates).
Result<std::unique_ptr<ObjectSource>> OpenRepository(
    const RepositoryLocation& location, const ReadingOptions& options = {});

// Opens the repository at `path`, without searching upwards. Also the errors of
// FindRepository.
Result<std::unique_ptr<ObjectSource>> OpenRepository(
    const std::string& path, const ReadingOptions& options = {});

}  // namespace zpack
