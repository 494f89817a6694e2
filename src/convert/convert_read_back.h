// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What convert does with a file before it gets its name.

#pragma once

#include <string>
#include <vector>

#include "convert/convert_source.h"
#include "object/object_source.h"
#include "reader/archive_file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Where the blocks of a new file come from.
struct CopiedBlocks {
  std::vector<bool> blocks;  // by block: copied from `base`; false beyond
  std::string base;
  TrustBase trust = TrustBase::kNo;
};

// Checks every checksum, and decodes and hashes every object but those in
// copied blocks of a base that is trusted. kSourceCorrupt when an object of
// `source` does not hash to its id, kCorrupt when one of the base does not,
// else kMismatch; kIo.
Status ReadBackFile(ObjectSource& source, const ArchiveFile& archive,
                    const CopiedBlocks& copied, const RunOptions& run);

// Compares the file with the `refs` and objects that were `enumerated`, and
// these with the source, opened again. Returns what the source has gained
// since. kMismatch when the file is not what was enumerated; kSourceCorrupt
// when the source has lost an object of it; those of opening and listing the
// source.
Result<MovedOn> CompareWithNow(const SourceOpener& open_source,
                               const ArchiveFile& archive,
                               const RefsSnapshot& refs,
                               const ObjectIdTable& enumerated,
                               const ConvertOptions& options);

}  // namespace zpack
