// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects what 'git zpack attest' states about an open file.

#pragma once

#include <stop_token>
#include <string>

#include "reader/archive_file.h"
#include "zpack/file_facts.h"
#include "zpack/result.h"

namespace zpack {

// Reads each block, for the type of its objects, and decodes none. `sha256` is
// the hash of all bytes of the file, in hexadecimal. Returns kInterrupted, and
// the errors of BlockDecoder::Load. REQUIRES: VerifyArchive has found no
// damage.
Result<FileFacts> CollectFacts(const ArchiveFile& archive, std::string sha256,
                               const std::stop_token& stop);

}  // namespace zpack
