// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the undamaged parts of a file other than blocks tell.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "format/block_table.h"
#include "format/file_table.h"
#include "object/lost_objects.h"
#include "object/object_id_table.h"
#include "object/promises.h"
#include "reader/file_blocks.h"
#include "reader/repository_file_reader.h"
#include "salvage/chunk_scan.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

struct SalvagedParts {
  ObjectFormat format = ObjectFormat::kSha1;
  std::string format_source;  // for people
  bool format_known = false;
  // Number of objects of the file, if a part tells.
  std::optional<uint32_t> object_count;
  std::optional<format::BlockTable> table;
  std::optional<RefsSnapshot> refs;
  // All ids of the file; without the file below, those of its own objects.
  std::optional<FileIds> ids;
  std::optional<FileIndex> index;  // only if the numbers are there, too
  // Without an index: the ids of a chain that are known, by number; zeros for
  // others.
  Bytes known_ids;
  Promises promises;
  LostObjects lost_before;  // when the file was made
  std::optional<RepositoryFiles> files;
  // The numbers after those of each file, if there are files below.
  std::vector<uint32_t> object_ends;
  // Parts that are not there although the file had them.
  std::vector<std::string> lost;
  // True if undamaged parts tell which parts the file had.
  bool all_parts_known = false;
};

// The block table in `payload`, for the bytes and objects that its first and
// its last row name. Nothing if it is none.
std::optional<format::BlockTable> DecodeTableAlone(ByteView payload);

// Reads the parts that `found` lists. If there are several of a kind, the first
// one that does not lie among the blocks and that can be decoded is used.
//
// Errors: kIo, kInterrupted, kOutOfMemory.
Result<SalvagedParts> ReadParts(const RandomAccessFile& file,
                                const FoundParts& found,
                                const SalvageOptions& options);

}  // namespace zpack
