// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves everything in a file to an ObjectSink.

#pragma once

#include "object/object_sink.h"
#include "reader/pack_file.h"
#include "zpack/options.h"
#include "zpack/restore.h"

namespace zpack {

// Decodes and hashes every object of `pack` and gives it to `sink`, then the
// refs. kMismatch when an object does not hash to its id.
Result<RestoreStats> RestorePack(const PackFile& pack, const RunOptions& run,
                                 ObjectSink& sink);

}  // namespace zpack
