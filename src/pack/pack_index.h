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
  // The other entries of ids that the index names more than once, in the order
  // of the index. The first entry of such an id is in the columns above.
  struct Copy {
    PackRank rank;
    uint64_t offset = 0;
    uint32_t checksum = 0;
  };
  std::vector<Copy> copies;
  Bytes pack_checksum;  // the last bytes of the pack
};

// Reads the index in `file`, of a pack with objects in `format`. The file does
// not name the format. kUnsupported for another version; kCorrupt if the size
// of the index does not fit what it begins with, or its fan-out is not
// ascending; kIo. As in Git, other damage costs only the objects that it is
// about: ids may be in any order, offsets may be in no pack, and the checksum
// of the index is not verified.
Result<PackIndex> ReadPackIndex(ObjectFormat format,
                                const RandomAccessFile& file);

// As above, for the file `path`. Also kNotFound.
Result<PackIndex> ReadPackIndex(ObjectFormat format, FileSystem& file_system,
                                const std::string& path);

// Reads only the ids, each once. The offsets are not checked. Errors as above.
Result<ObjectIdTable> ReadPackIndexIds(ObjectFormat format,
                                       FileSystem& file_system,
                                       const std::string& path);

// Whether `pack` is the pack that the index was made for, as far as Git checks
// that: the count of entries and the last bytes. kCorrupt; kUnsupported for a
// version that Git does not know; kIo.
Status CheckPackOfIndex(const PackIndex& index, const RandomAccessFile& pack);

}  // namespace zpack
