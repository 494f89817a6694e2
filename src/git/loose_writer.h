// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes loose objects. One call at a time.

#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "base/shared_mode.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

struct LooseWriter {
  FileSystem& file_system;
  const std::string& object_directory;
  const SharedMode& shared;

  // Writes the object `id` of `source` into a loose file that was last changed
  // at `mtime`, unless there is a sound one. It gets its name only when its
  // content was hashed to its id and is on the disk; the name itself is synced
  // by whoever syncs the file system. kSourceCorrupt for another content.
  Status Write(ObjectSource& source, const ObjectId& id, int64_t mtime) const;
};

}  // namespace zpack
