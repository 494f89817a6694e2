// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A pack index of version 1 or 2, read (gitformat-pack(5)).

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
  IndexedVector<PackRank, uint64_t> offsets;  // in the pack
  // CRC-32 of each entry; none in version 1.
  IndexedVector<PackRank, uint32_t> checksums;
};

// The index in `file`. kUnsupported for another version, kCorrupt for what does
// not fit together or names an object twice, kIo; its own checksum is not
// looked at.
Result<PackIndex> ReadPackIndex(const RandomAccessFile& file);

// The same of the file `path`. Errors as above, and kNotFound.
Result<PackIndex> ReadPackIndex(FileSystem& file_system,
                                const std::string& path);

// Its ids only, those that it names twice once; whether its offsets fit is not
// looked at.
Result<ObjectIdTable> ReadPackIndexIds(FileSystem& file_system,
                                       const std::string& path);

}  // namespace zpack
