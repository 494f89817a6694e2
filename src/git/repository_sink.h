// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a new bare repository with one pack.

#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "object/object_sink.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Creates a bare repository for `object_count` objects in `format` in a private
// directory (RestorePlace). Finish publishes it as `directory`.
//
// Errors: kUnsupported if an existing repository cannot be replaced in one
// step; other errors as RestorePlace::Take.
Result<std::unique_ptr<ObjectSink>> CreateRepository(
    FileSystem& file_system, const std::string& directory, Overwrite overwrite,
    ObjectFormat format, uint32_t object_count);

}  // namespace zpack
