// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What convert does with a file before it gets its name.

#pragma once

#include <vector>

#include "api/convert_source.h"
#include "object/object_source.h"
#include "reader/pack_file.h"
#include "zpack/options.h"

namespace zpack {

// Checks every checksum, and decodes and hashes every object but those of the
// blocks that were `copied` from an older file. kSourceCorrupt when an object
// of `source` does not hash to its id, else kMismatch; kIo.
Status ReadBackFile(ObjectSource& source, const PackFile& pack,
                    const std::vector<bool>& copied, const RunOptions& run);

// Compares the file with the source, opened anew: with what was enumerated if
// only a part was wanted, else with a new listing of all objects.
Status CompareWithNow(const SourceOpener& open_source, const PackFile& pack,
                      const ObjectIdTable& enumerated,
                      const ConvertOptions& options);

}  // namespace zpack
