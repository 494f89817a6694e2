// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Convert with the source of objects and the file system as parameters.

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

// Opens the source. Called once with kConvert, to read the source, and once
// with kCompare, to check whether it has changed, for which few objects are
// read.
using SourceOpener =
    std::function<Result<std::unique_ptr<ObjectSource>>(SourceUse)>;

// Like Convert.
Result<ConvertStats> ConvertSource(const SourceOpener& open_source,
                                   FileSystem& file_system,
                                   const std::string& path,
                                   const ConvertOptions& options);

}  // namespace zpack
