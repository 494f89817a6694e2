// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the objects of a pack that cannot be read from this pack alone. A
// function without state; any thread.

#pragma once

#include <string>

#include "base/file.h"
#include "object/object_id_table.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Reads `ids` from '<base_path>.pack'. Returns those that the pack does not
// have, whose copy there cannot be read, or whose copy has another id. The
// error is kInterrupted.
Result<ObjectIdTable> FindDamagedCopies(FileSystem& file_system,
                                        const std::string& base_path,
                                        const ObjectIdTable& ids,
                                        const RunOptions& run);

}  // namespace zpack
