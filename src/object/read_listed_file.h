// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of a repository. A function without state; any thread.

#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "base/bytes.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// Reads a file that `source` listed, passes its content to `piece` in order,
// and returns the file with its size and hash. Nothing if it no longer exists.
// Errors: those of ObjectSource::OpenFile and of `piece`; kIo; kInterrupted.
Result<std::optional<RepositoryFile>> ReadListedFile(
    ObjectSource& source, const ListedFile& listed, const std::stop_token& stop,
    const std::function<Status(ByteView)>& piece);

// kSourceCorrupt if `file`, which `source` has, is an object of Git LFS whose
// name is not the hash of its content.
Status CheckContent(const ObjectSource& source, const RepositoryFile& file);

}  // namespace zpack
