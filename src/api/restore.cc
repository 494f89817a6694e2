// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/restore.h"

#include <utility>

#include "api/decoding_threads.h"
#include "api/not_inside.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/phase_timer.h"
#include "git/repository_sink.h"
#include "http/open_file.h"
#include "reader/archive_file.h"
#include "restore/repository_restorer.h"

namespace zpack {
namespace {

Result<RestoreStats> RestoreFile(const std::string& path,
                                 const std::string& directory,
                                 const RestoreOptions& given) {
  PhaseTimer timer(given.run.progress);
  RestoreOptions options = given;
  options.run.progress = &timer;
  options.read = BoundedReads(given.read, given.run);
  ZPACK_TRY(CheckNotInside(path, directory));
  ZPACK_ASSIGN_OR_RETURN(auto file,
                         OpenForReading(path, options.read, options.run.stop));
  options.run.threads = DecodingThreads(given.run, file->size());
  ZPACK_ASSIGN_OR_RETURN(const auto archive,
                         ArchiveFile::Open(std::move(file), options.read));
  ZPACK_ASSIGN_OR_RETURN(
      const auto sink,
      CreateRepository(PosixFileSystem(), directory, options.overwrite,
                       {.object_format = archive->header().object_format,
                        .ref_storage = options.ref_storage,
                        .object_count = archive->ids().size(),
                        .promisor_remotes = archive->promises().remotes}));
  ZPACK_ASSIGN_OR_RETURN(RestoreStats stats,
                         RestoreArchive(*archive, options, *sink));
  stats.phases = timer.phases();
  return stats;
}

}  // namespace

Result<RestoreStats> Restore(const std::string& path,
                             const std::string& directory,
                             const RestoreOptions& options) {
  return Guarded([&] { return RestoreFile(path, directory, options); });
}

}  // namespace zpack
