// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads pack indexes of version 1 or 2 (gitformat-pack(5)).

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/index_spaces.h"
#include "object/object_id_table.h"
#include "zpack/result.h"

namespace zpack {

struct PackIndex {
  PackIds ids;
  IndexedVector<PackRank, uint64_t> offsets;  // of the entries in the pack
  // CRC-32 of each entry. Empty in version 1.
  IndexedVector<PackRank, uint32_t> checksums;
};

// Reads the index in `file`, of a pack with objects in `format`. The file does
// not name the format. kUnsupported for another version; kCorrupt if the
// index is inconsistent or has an id twice; kIo. The checksum of the index is
// not verified.
Result<PackIndex> ReadPackIndex(ObjectFormat format,
                                const RandomAccessFile& file);

// As above, for the file `path`. Also kNotFound.
Result<PackIndex> ReadPackIndex(ObjectFormat format, FileSystem& file_system,
                                const std::string& path);

// Reads only the ids. An id that the index has twice is returned once. The
// offsets are not checked. Errors as above.
Result<ObjectIdTable> ReadPackIndexIds(ObjectFormat format,
                                       FileSystem& file_system,
                                       const std::string& path);

}  // namespace zpack
