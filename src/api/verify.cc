// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/verify.h"

#include <memory>
#include <optional>
#include <utility>

#include "api/decoding_threads.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/hex.h"
#include "base/phase_timer.h"
#include "git/libgit2_options.h"
#include "git/repository_source.h"
#include "http/open_file.h"
#include "http/url.h"
#include "protect/inspect_parity.h"
#include "reader/archive_file.h"
#include "verify/compare_repository.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

// Reports the parity of the file at `path` and its damage.
Status CheckParity(const std::string& path, ParityInside inside,
                   const VerifyOptions& options, VerifyReport& report) {
  if (options.level < VerifyLevel::kChecksums || IsUrl(path)) return {};
  ZPACK_ASSIGN_OR_RETURN(report.parity, InspectParity(PosixFileSystem(), path,
                                                      inside, options.run));
  if (!report.parity) return {};
  const ParityState& parity = *report.parity;
  if (!parity.intact) {
    report.damages.push_back(NewError(
        ErrorCode::kCorrupt,
        "parity is damaged: {} of {} shards are left in '{}'",
        parity.parity_left, parity.parity_shards, AtPath{parity.path}));
  }
  if (report.damages.empty() && parity.damaged_shards != 0) {
    report.damages.push_back(NewError(ErrorCode::kCorrupt,
                                      "parity in '{}' was made for another "
                                      "version of the file",
                                      AtPath{parity.path}));
  }
  return {};
}

Result<VerifyReport> VerifyFile(const std::string& path,
                                const std::string& repository,
                                const VerifyOptions& given) {
  PhaseTimer timer(given.run.progress);
  VerifyOptions options = given;
  options.run.progress = &timer;
  options.read = BoundedReads(given.read, given.run);
  options.read.damages = nullptr;  // They are in the report.
  VerifyReport report;
  report.level = options.level;
  std::optional<Libgit2Options> libgit2_options;
  // Open the repository first, so that a wrong name does not cost an hour of
  // verification.
  std::unique_ptr<ObjectSource> source;
  if (!repository.empty()) {
    libgit2_options.emplace();
    ZPACK_ASSIGN_OR_RETURN(const RepositoryLocation location,
                           FindRepository(repository, options.discovery));
    report.git_directory = location.git_directory;
    ZPACK_ASSIGN_OR_RETURN(
        source, OpenRepository(location, {.expected = ExpectedReads::kInfos}));
    report.missing_alternates = source->MissingAlternates();
  }
  ZPACK_ASSIGN_OR_RETURN(auto file,
                         OpenForReading(path, options.read, options.run.stop));
  options.run.threads = DecodingThreads(given.run, file->size());
  const auto archive = ArchiveFile::Open(std::move(file), options.read);
  if (!archive) {
    // A file with a broken structure cannot be checked any further.
    if (archive.error().code != ErrorCode::kCorrupt) {
      return std::unexpected(archive.error());
    }
    report.damages.push_back(archive.error());
    ZPACK_TRY(CheckParity(path, ParityInside::kMaybe, options, report));
    return report;
  }
  report.file_hash = ToHex((*archive)->trailer().file_hash);
  ZPACK_TRY(VerifyArchive(**archive, options.level, options.run, report));
  const bool inside = (*archive)->toc().Find(format::kParityChunk) != nullptr;
  ZPACK_TRY(CheckParity(path, inside ? ParityInside::kYes : ParityInside::kNo,
                        options, report));
  if (source != nullptr) {
    ZPACK_TRY(CompareWithSource(**archive, *source, options.allow_newer,
                                options.run, report));
  }
  report.phases = timer.phases();
  return report;
}

}  // namespace

Result<VerifyReport> Verify(const std::string& path,
                            const std::string& repository,
                            const VerifyOptions& options) {
  return Guarded([&] { return VerifyFile(path, repository, options); });
}

}  // namespace zpack
