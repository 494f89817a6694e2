// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Update::kYes: the destination is the base, and stays as it is if it is up to
// date. The functions have no state.

#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/file.h"
#include "convert/base_file.h"
#include "convert/convert_inventory.h"
#include "object/object_source.h"
#include "reader/archive_file.h"
#include "writer/archive_writer.h"
#include "writer/files_writer.h"
#include "zpack/convert_stats.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Returns kInvalidArgument for options that exclude each other: an update has
// no base of its own, and a file that depends on another one has none at all.
Status CheckBase(const std::string& path, const ConvertOptions& options);

// Returns kExists if the older file has objects that `source` lacks and only
// promises, or has lost.
Status CheckNoneAbsent(const Inventory& inventory, const ObjectSource& source);

// The path of the older file: that of the options or, for an update, `path` if
// there is a file. Returns the errors of FileSystem::OpenForRead except
// kNotFound.
Result<std::optional<std::string>> FindOlderFile(FileSystem& file_system,
                                                 const std::string& path,
                                                 const ConvertOptions& options);

// Returns kExists if the older file is that of another repository, or if
// CheckNoneAbsent does, unless Overwrite::kYes is given; and kUnsupported if
// the older file depends on another one.
Status CheckReplaceable(const Inventory& inventory, const ObjectSource& source,
                        const ConvertOptions& options);

// Counts what the older file has and the new file will lack. Returns kExists,
// with the first of these, if AllowLoss::kNo is given and there is any.
Result<ConvertStats::Lost> FindLost(const Inventory& inventory,
                                    const RefsSnapshot& refs,
                                    const FilesToWrite& files,
                                    const ConvertOptions& options);

// Returns whether a new file would hold what the older file holds. Reads the
// files of the repository. Does not check the contents of the older file.
Result<bool> IsUnchanged(const Inventory& inventory, const RefsSnapshot& refs,
                         const FilesToWrite& files,
                         const std::stop_token& stop);

// The statistics of an older file of which everything is kept.
Result<WriteStats> CountWritten(const BaseFile& base,
                                const std::stop_token& stop);

// Checks the objects of an older file, or with TrustBase::kYes or ReadBack::kNo
// only all checksums. Returns kCorrupt with the first damage.
Status CheckUndamaged(const ArchiveFile& archive, const ConvertOptions& options,
                      const RunOptions& run);

}  // namespace zpack
