// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks the peeled values of refs. Git would trust these values without
// checking, so a file must not be able to lie about them.

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
  ObjectId stated;  // empty if the file has none
  ObjectId actual;  // empty if the ref is not a tag or its target is unknown
};

// Returns the refs whose peeled value is not the object that their tag points
// at. If an object is damaged, its target counts as unknown. Returns kIo if the
// file cannot be read, and kInterrupted if a stop is requested. May be called
// from any thread.
Result<std::vector<PeeledMismatch>> FindPeeledMismatches(
    const ArchiveFile& archive, const std::stop_token& stop);

}  // namespace zpack
