// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/restore.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/decoding_threads.h"
#include "api/not_inside.h"
#include "api/report_damage.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/phase_timer.h"
#include "git/restore/repository_sink.h"
#include "git/restore/restore_place.h"
#include "http/open_file.h"
#include "reader/archive_file.h"
#include "reader/repository_file_reader.h"
#include "transfer/repository_restorer.h"

namespace zpack {
namespace {

// The names of the objects of Git LFS that a forced restore brings back.
Result<std::vector<std::string>> LfsObjects(const ArchiveFile& archive,
                                            const RestoreOptions& options) {
  std::vector<std::string> names;
  const auto& without = options.without_files;
  if (options.overwrite == Overwrite::kNo ||
      std::ranges::find(without, FileGroup::kLfs) != without.end()) {
    return names;
  }
  ZPACK_ASSIGN_OR_RETURN(const RepositoryFiles table, ReadFileTable(archive));
  for (const RepositoryFile& file : table.files) {
    if (file.group == FileGroup::kLfs) names.push_back(file.name);
  }
  return names;
}

Result<RestoreStats> RestoreFile(const std::string& path,
                                 const std::string& directory,
                                 const RestoreOptions& given) {
  PhaseTimer timer(given.run.progress);
  RestoreOptions options = given;
  options.run.progress = &timer;
  options.read = BoundedReads(given.read, options.run);
  ZPACK_ASSIGN_OR_RETURN(auto file,
                         OpenForReading(path, options.read, options.run.stop));
  ZPACK_ASSIGN_OR_RETURN(const auto archive,
                         ArchiveFile::Open(std::move(file), options.read));
  for (const auto& one : archive->files()) {
    ZPACK_TRY(CheckNotInside(one->path(), directory));
  }
  options.run.threads = DecodingThreads(given.run, archive->blocks());
  ZPACK_ASSIGN_OR_RETURN(auto lfs_objects, LfsObjects(*archive, options));
  ZPACK_ASSIGN_OR_RETURN(
      const auto sink,
      CreateRepository(PosixFileSystem(), directory, options.overwrite,
                       {.object_format = archive->header().object_format,
                        .ref_storage = options.ref_storage,
                        .object_count = archive->ids().size(),
                        .promisor_remotes = archive->promises().remotes,
                        .lfs_objects = std::move(lfs_objects)}));
  ZPACK_ASSIGN_OR_RETURN(RestoreStats stats,
                         RestoreArchive(*archive, options, *sink));
  ZPACK_TRY(ReportDamage(*archive, options));
  stats.phases = timer.phases();
  return stats;
}

}  // namespace

Result<RestoreStats> Restore(const std::string& path,
                             const std::string& directory,
                             const RestoreOptions& options) {
  return Guarded([&] { return RestoreFile(path, directory, options); });
}

Result<bool> IsEmptyForRestore(const std::string& directory,
                               const std::string& name) {
  return Guarded([&] { return IsEmptyButForLeftovers(directory, name); });
}

}  // namespace zpack
