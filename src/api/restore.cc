// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/restore.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "api/decoding_threads.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/phase_timer.h"
#include "git/repository_sink.h"
#include "http/open_file.h"
#include "reader/archive_file.h"
#include "restore/repository_restorer.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// Replacing a directory removes its content, so the archive must not be inside.
Status CheckNotInside(const std::string& path, const std::string& directory) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  if (error) return {};
  const fs::path target = fs::canonical(directory, error);
  if (error) return {};
  const auto [end, unused] =
      std::mismatch(target.begin(), target.end(), file.begin(), file.end());
  if (end != target.end()) return {};
  return MakeError(ErrorCode::kInvalidArgument,
                   "'{}' is inside '{}', which would be replaced", AtPath{path},
                   AtPath{directory});
}

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
