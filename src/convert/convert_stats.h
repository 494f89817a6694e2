// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a conversion reports. Functions without state; any thread.

#pragma once

#include <cstdint>

#include "writer/archive_writer.h"
#include "zpack/convert.h"
#include "zpack/refs.h"

namespace zpack {

// What was written of a source with `source_pack_bytes` of packs.
ConvertStats MakeStats(const WriteStats& written, const RefsSnapshot& refs,
                       uint64_t source_pack_bytes);

// How many objects were not hashed.
uint64_t CountUnverified(const ConvertStats& stats,
                         const ConvertOptions& options);

}  // namespace zpack
