// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a file again, with parity in it. A function without state; any thread.

#pragma once

#include <cstdint>

#include "base/file.h"
#include "parity/parity_packet.h"
#include "protect/image_file.h"
#include "reader/single_file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Copies `single` to `image`, which is empty, with chunk PARI, and with new
// parity instead of old parity. Everything up to the parity has the same bytes
// except for the sizes in the header. kUnsupported if the file has optional
// features or chunks that this version does not know; kLimitExceeded; kIo;
// kInterrupted.
Result<ParityParameters> WriteWithParity(const SingleFile& single,
                                         uint32_t redundancy,
                                         const RunOptions& run,
                                         ImageFile& image);

}  // namespace zpack
