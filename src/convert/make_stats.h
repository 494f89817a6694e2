// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The statistics of a conversion. The functions have no state and may be called
// from any thread.

#pragma once

#include <cstdint>

#include "writer/archive_writer.h"
#include "zpack/convert.h"
#include "zpack/refs.h"

namespace zpack {

// Returns the statistics of `written`. `source_pack_bytes` is the size of the
// source's packs.
ConvertStats MakeStats(const WriteStats& written, const RefsSnapshot& refs,
                       uint64_t source_pack_bytes);

// Number of objects that were not hashed.
uint64_t CountUnverified(const ConvertStats& stats,
                         const ConvertOptions& options);

// Number of objects whose content was read from the source and hashed.
uint64_t CountVerifiedInSource(const ConvertStats& stats,
                               const ConvertOptions& options);

}  // namespace zpack
