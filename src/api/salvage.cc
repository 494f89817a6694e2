// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/salvage.h"

#include <utility>

#include "api/decoding_threads.h"
#include "api/not_inside.h"
#include "api/report_damage.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/phase_timer.h"
#include "git/restore/repository_sink.h"
#include "http/open_file.h"
#include "reader/archive_file.h"
#include "reader/file_structure.h"
#include "salvage/fatal_error.h"
#include "salvage/parts_in_place.h"
#include "salvage/salvager.h"

namespace zpack {
namespace {

bool IsBacked(const format::FileHeader& header) {
  return format::HasFeature(header.required_features, format::kBackingFeature);
}

// Salvages a file together with those that it depends on, as far as these can
// be opened.
Result<SalvageReport> SalvageOpened(const std::string& path,
                                    const std::string& directory,
                                    const RandomAccessFile& file,
                                    const SalvageOptions& options,
                                    const MakeSink& make_sink) {
  const RestoreOptions& restore = options.restore;
  ReadOptions read = restore.read;
  read.damages = nullptr;
  read.size = SizeOfFile::kStated;
  ZPACK_ASSIGN_OR_RETURN(const auto there, FindHeader(file, read));
  if (there && !IsBacked(*there)) return SalvageFile(file, options, make_sink);
  const auto mend = [&](std::unique_ptr<RandomAccessFile> opened) {
    return WithPartsInPlace(std::move(opened), read, restore.run);
  };
  ZPACK_ASSIGN_OR_RETURN(
      auto again,
      OpenForReading(path, read, restore.run.stop, DiskPages::kOwn));
  ZPACK_ASSIGN_OR_RETURN(again, mend(std::move(again)));
  ZPACK_ASSIGN_OR_RETURN(const auto header, FindHeader(*again, read));
  if (!header || !IsBacked(*header)) {
    return SalvageFile(file, options, make_sink);
  }
  const auto chain =
      ArchiveFile::OpenWithoutIndex(std::move(again), read, mend);
  if (chain) {
    for (const auto& one : (*chain)->files()) {
      ZPACK_TRY(CheckNotInside(one->path(), directory));
    }
    return SalvageChain(**chain, options, make_sink);
  }
  if (chain.error().code != ErrorCode::kNotFound && IsFatal(chain.error())) {
    return std::unexpected(chain.error());
  }
  ZPACK_ASSIGN_OR_RETURN(SalvageReport report,
                         SalvageFile(file, options, make_sink));
  report.damages.insert(report.damages.begin(), chain.error());
  return report;
}

Result<SalvageReport> SalvagePath(const std::string& path,
                                  const std::string& directory,
                                  const SalvageOptions& given) {
  PhaseTimer timer(given.restore.run.progress);
  SalvageOptions options = given;
  RestoreOptions& restore = options.restore;
  restore.run.progress = &timer;
  restore.read = BoundedReads(restore.read, restore.run);
  ZPACK_TRY(CheckNotInside(path, directory));
  if (options.required == SoundParts::kStructure) {
    ZPACK_ASSIGN_OR_RETURN(
        auto checked,
        OpenForReading(path, restore.read, restore.run.stop, DiskPages::kOwn));
    ZPACK_TRY(ArchiveFile::OpenStructure(std::move(checked), restore.read));
  }
  ZPACK_ASSIGN_OR_RETURN(
      const auto file,
      OpenForReading(path, restore.read, restore.run.stop, DiskPages::kOwn));
  restore.run.threads =
      DecodingThreads(restore.run, file->size(), format::BlockFeatures());
  const auto make_sink = [&](const SalvagedRepository& repository) {
    return CreateRepository(PosixFileSystem(), directory, restore.overwrite,
                            {.object_format = repository.format,
                             .ref_storage = restore.ref_storage,
                             .object_count = repository.object_count,
                             .promisor_remotes = repository.promisor_remotes});
  };
  ZPACK_ASSIGN_OR_RETURN(
      SalvageReport report,
      SalvageOpened(path, directory, *file, options, make_sink));
  // Otherwise, the report names the damage.
  if (options.required == SoundParts::kStructure && report.complete) {
    ReadOptions read = restore.read;
    read.damages = nullptr;  // It was told of the structure before.
    ZPACK_ASSIGN_OR_RETURN(
        auto whole,
        OpenForReading(path, read, restore.run.stop, DiskPages::kOwn));
    ZPACK_ASSIGN_OR_RETURN(const auto archive,
                           ArchiveFile::OpenStructure(std::move(whole), read));
    ZPACK_TRY(ReportDamage(*archive, restore));
  }
  report.phases = timer.phases();
  return report;
}

}  // namespace

Result<SalvageReport> Salvage(const std::string& path,
                              const std::string& directory,
                              const SalvageOptions& options) {
  return Guarded([&] { return SalvagePath(path, directory, options); });
}

}  // namespace zpack
