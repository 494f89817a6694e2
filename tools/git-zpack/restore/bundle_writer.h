// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A .zpack file as a bundle of Git (gitformat-bundle(5)). Functions without
// state.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "named_output.h"
#include "zpack/archive_reader.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack::cli {

// Writes all refs and HEAD of `reader`, which has opened `path`, and the pack
// that a clone would get. Each object is hashed before it is written. Returns
// the number of objects in the pack.
//
// Errors: kNotFound if no ref names an object; kUnsupported if the file is of a
// shallow repository or a partial clone; those of UploadPack; kIo.
Result<uint64_t> WriteBundle(const std::string& path,
                             const ArchiveReader& reader,
                             const RestoreOptions& options,
                             const NamedOutput& out, std::ostream& err);

}  // namespace zpack::cli
