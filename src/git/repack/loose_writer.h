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
  ObjectFormat format;
  FileSystem& file_system;
  const std::string& object_directory;
  const SharedMode& shared;

  // Writes the object `id` of `source` to a loose file with the modification
  // time `mtime`, unless a sound loose object exists. The file gets its name
  // after its content was hashed to `id` and synced. The caller must sync the
  // file system to sync the name. Errors: kSourceCorrupt if the content does
  // not hash to `id`; kIo; those of ObjectSource::Open.
  Status Write(ObjectSource& source, const ObjectId& id, int64_t mtime) const;
};

}  // namespace zpack
