// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Convert with its two seams open: where objects come from, and the file
// system they go to.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/file.h"
#include "object/object_source.h"
#include "zpack/convert.h"

namespace zpack {

enum class SourceUse : uint8_t { kConvert, kCompare };

// Opens the source; called once to read it and once more to see whether it is
// still the same, for which few objects are read.
using SourceOpener =
    std::function<Result<std::unique_ptr<ObjectSource>>(SourceUse)>;

// As Convert.
Result<ConvertStats> ConvertSource(const SourceOpener& open_source,
                                   FileSystem& file_system,
                                   const std::string& path,
                                   const ConvertOptions& options);

}  // namespace zpack
