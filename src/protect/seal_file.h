// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Completes a file with embedded parity. A function without state; any thread.

#pragma once

#include "base/file.h"
#include "parity/parity_shape.h"
#include "protect/image_file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Writes what embedded parity does not cover: the checksum of its chunk and the
// hash of the file. `file` reads `image`, in which everything else is
// written. kCorrupt if the header cannot be the header of a file; kIo;
// kInterrupted.
Status SealFile(const RandomAccessFile& file, const ParityShape& shape,
                const RunOptions& run, ImageFile& image);

}  // namespace zpack
