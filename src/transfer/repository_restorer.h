// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies the content of an archive to an ObjectSink.

#pragma once

#include <cstddef>
#include <functional>

#include "format/file_table.h"
#include "object/object_sink.h"
#include "reader/archive_file.h"
#include "reader/repository_file_reader.h"
#include "zpack/options.h"
#include "zpack/restore.h"

namespace zpack {

// Whether the file reader.table().files[index] is restored. An error ends the
// operation.
using FileChoice = std::function<Result<bool>(size_t index)>;

// Passes the files of `reader` that `wants` chooses and `options` do not leave
// out to `sink`, and counts them in `stats`.
Status RestoreFiles(RepositoryFileReader& reader, const FileChoice& wants,
                    const RestoreOptions& options, ObjectSink& sink,
                    RestoreStats& stats);

// Decodes and hashes every object of `archive` and passes it to `sink`, then
// the files, then the refs. Returns kCorrupt if an object does not hash to its
// id or the peeled value of a ref is wrong. Other errors are those of reading
// the archive and of `sink`.
Result<RestoreStats> RestoreArchive(const ArchiveFile& archive,
                                    const RestoreOptions& options,
                                    ObjectSink& sink);

}  // namespace zpack
