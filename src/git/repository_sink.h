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

namespace zpack {

// Prepares a bare repository for `object_count` objects beside `directory`, in
// '.<name>.zpack-tmp', which Finish moves into place. A temporary directory
// that a killed process left is removed first.
//
// kExists when something other than an empty directory is at `directory`
// (unless `overwrite` is kYes and it is a bare repository), or while another
// process restores to it; kUnsupported for an object format that libgit2
// cannot handle.
Result<std::unique_ptr<ObjectSink>> CreateRepository(
    FileSystem& file_system, const std::string& directory, Overwrite overwrite,
    ObjectFormat format, uint32_t object_count);

}  // namespace zpack
