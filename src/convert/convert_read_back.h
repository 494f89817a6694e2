// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks a new archive before it gets its final name.

#pragma once

#include <string>
#include <vector>

#include "convert/convert_source.h"
#include "object/object_source.h"
#include "reader/archive_file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// The origin of the blocks of a new archive.
struct CopiedBlocks {
  std::vector<bool>
      blocks;  // by block: copied from `base`; false beyond the end
  std::string base;
  TrustBase trust = TrustBase::kNo;
  // True: the archive depends on `base`, which is not checked.
  bool onto = false;
};

// Checks every checksum, and decodes and hashes every object. Does not hash
// objects in blocks copied from a trusted base. Returns kSourceCorrupt if an
// object of `source` does not hash to its id, kCorrupt if an object of the base
// does not, kMismatch for other damage, and kIo.
Status ReadBackFile(ObjectSource& source, const ArchiveFile& archive,
                    const CopiedBlocks& copied, const RunOptions& run);

// Compares the archive with the `refs` and objects that were `enumerated`, then
// compares these with the source, which is opened again. Returns what the
// source has gained since the enumeration. Returns kMismatch if the archive
// differs from what was enumerated, kSourceCorrupt if the source has lost an
// object, and the errors of opening and listing the source.
Result<MovedOn> CompareWithNow(const SourceOpener& open_source,
                               const ArchiveFile& archive,
                               const RefsSnapshot& refs,
                               ObjectIdTable enumerated,
                               const ConvertOptions& options);

}  // namespace zpack
