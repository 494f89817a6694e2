// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the files that could not be read without another file.
// Functions without state; any thread.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/file.h"
#include "zpack/archive_reader.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Opens the file of which the dependents are looked for.
using FileOpener = std::function<Result<std::unique_ptr<RandomAccessFile>>()>;

// The files in `directory` that state the file as the one below them, or for
// which it could stand because it holds the same objects under the same
// numbers. If it cannot be read, only its name counts. Errors are those of
// `open` and of ListEntries.
Result<DependentFiles> FindDependents(const FileOpener& open,
                                      const std::string& directory,
                                      const ReadOptions& options);

// kExists if `path` is a file on which others in its directory depend, which
// could not be read with another file in its place, or if that cannot be told.
Status CheckNoneDepend(const std::string& path);

// kExists if the file at `output` is one on which the file at `path` depends,
// or on which others in its directory depend that could not be read with the
// file at `path` in its place. Nothing is an error if that one cannot be read.
Status CheckServes(const std::string& path, const std::string& output);

}  // namespace zpack
