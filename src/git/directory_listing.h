// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading what may be missing, but must not be overlooked: a directory or file
// that cannot be read is an error, one that is not there is empty. Functions
// without state; any thread.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

// The names in the directory `path`, sorted; none when nothing has that name.
// kIo when the directory cannot be read to its end, and for a symbolic link
// that leads nowhere.
Result<std::vector<std::string>> ListNames(const std::string& path);

// The content of the file `path`; nothing when nothing has that name. Errors
// are those of ReadWholeFile, and kIo for a symbolic link that leads nowhere.
Result<std::optional<Bytes>> ReadIfThere(const std::string& path,
                                         uint64_t limit);

}  // namespace zpack
