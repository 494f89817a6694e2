// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How well the blocks of an older archive are compressed. A function without
// state.

#pragma once

#include <cstdint>
#include <stop_token>

#include "reader/archive_file.h"
#include "writer/encoding_options.h"
#include "zpack/result.h"

namespace zpack {

// Estimates how many bytes of the blocks were compressed at a lower level than
// that of `options`. Compresses one stream of a few blocks again: the file does
// not say at which level it was compressed. Errors are those of reading blocks,
// and kInterrupted.
Result<uint64_t> EstimateWeakerBytes(const ArchiveFile& archive,
                                     const EncodingOptions& options,
                                     const std::stop_token& stop);

}  // namespace zpack
