// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Peeled values in a file are hints that Git would trust without looking; a
// file could lie about them.

#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "reader/archive_file.h"
#include "zpack/result.h"

namespace zpack {

struct PeeledMismatch {
  std::string ref;
  ObjectId stated;  // empty when the file states none
  ObjectId actual;  // empty when the ref is no tag, or leads nowhere
};

// The refs whose peeled value is not what their tag points at. kIo when the
// file cannot be read, kInterrupted when a stop is requested; a damaged object
// counts as leading nowhere. May be used from any thread.
Result<std::vector<PeeledMismatch>> FindPeeledMismatches(
    const ArchiveFile& archive, const std::stop_token& stop);

}  // namespace zpack
