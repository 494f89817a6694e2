// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/verify.h"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "api/decoding_threads.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/phase_timer.h"
#include "base/url.h"
#include "format/chunk.h"
#include "git/libgit2_options.h"
#include "git/repository_source.h"
#include "http/open_file.h"
#include "protect/inspect_parity.h"
#include "reader/archive_file.h"
#include "verify/collect_facts.h"
#include "verify/compare_repository.h"
#include "verify/same_repository.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

// Reports the damage of parity, which is damage of a file.
void NoteDamage(const ParityState& parity, bool file_undamaged,
                VerifyReport& report) {
  if (parity.parity_shards == 0) {
    report.damages.push_back(
        NewError(ErrorCode::kCorrupt,
                 "parity is damaged: no packet is left in chunk '{}' of '{}'",
                 format::ChunkName(format::kParityChunk), AtPath{parity.path}));
  } else if (!parity.intact) {
    report.damages.push_back(NewError(
        ErrorCode::kCorrupt,
        "parity is damaged: {} of {} shards are left in '{}'",
        parity.parity_left, parity.parity_shards, AtPath{parity.path}));
  } else if (file_undamaged && parity.damaged_shards != 0) {
    report.damages.push_back(NewError(ErrorCode::kCorrupt,
                                      "parity in '{}' does not fit the file",
                                      AtPath{parity.path}));
  }
}

// Looks at the parity of the file at `path`, and reports its damage.
Result<InspectedParity> Inspect(const std::string& path,
                                const InspectedFile& file,
                                const VerifyOptions& options,
                                VerifyReport& report) {
  if (options.level < VerifyLevel::kChecksums || IsUrl(path)) {
    return InspectedParity();
  }
  ZPACK_ASSIGN_OR_RETURN(
      InspectedParity found,
      InspectParity(PosixFileSystem(), path, file, options.run));
  if (found.parity) NoteDamage(*found.parity, file.undamaged, report);
  return found;
}

// Reports the parity of the file that is verified.
Status CheckParity(const std::string& path, ParityInside inside,
                   const VerifyOptions& options, VerifyReport& report) {
  ZPACK_ASSIGN_OR_RETURN(
      InspectedParity found,
      Inspect(path, {inside, report.damages.empty()}, options, report));
  report.parity_skipped = inside == ParityInside::kYes && IsUrl(path) &&
                          options.level >= VerifyLevel::kChecksums;
  report.parity = std::move(found.parity);
  report.stale_parity = std::move(found.stale);
  return {};
}

// The same of a file below.
Status CheckParityBelow(const std::string& path, ParityInside inside,
                        const VerifyOptions& options, VerifyReport& report) {
  const bool undamaged = std::ranges::none_of(
      report.damages, [&](const Error& error) { return error.path == path; });
  auto found = Inspect(path, {inside, undamaged}, options, report);
  if (!found) {
    // What is no file of parity cannot be its parity.
    if (found.error().code == ErrorCode::kInvalidArgument) return {};
    return std::unexpected(std::move(found).error());
  }
  if (!found->parity && found->stale.empty()) return {};
  report.parity_below.push_back(
      {path, std::move(found->parity), std::move(found->stale)});
  return {};
}

ParityInside HasParity(const SingleFile& file) {
  return file.toc().Find(format::kParityChunk) != nullptr ? ParityInside::kYes
                                                          : ParityInside::kNo;
}

// The same of all files of a chain; of the top alone if only that counts.
Status CheckParityOf(const ArchiveFile& archive, const std::string& path,
                     const ScrubOptions& scrub, const VerifyOptions& options,
                     VerifyReport& report) {
  const SingleFile& top = archive.top();
  ZPACK_TRY(CheckParity(path, HasParity(top), options, report));
  if (scrub.own) return {};
  for (const auto& below : archive.files()) {
    if (below.get() == &top) continue;
    ZPACK_TRY(
        CheckParityBelow(below->path(), HasParity(*below), options, report));
  }
  return {};
}

// Reports why the file at `path` cannot be opened, and the parity that there
// is.
Status NoteUnusable(const std::string& path, const Error& why,
                    const VerifyOptions& options, VerifyReport& report) {
  report.damages.push_back(why);
  ZPACK_TRY(CheckParity(path, ParityInside::kMaybe, options, report));
  if (why.path.empty() || why.path == path) return {};
  return CheckParityBelow(why.path, ParityInside::kMaybe, options, report);
}

Status CheckScrub(const std::string& path, const std::string& repository,
                  const VerifyOptions& options, const ScrubOptions& scrub) {
  const bool sampled = scrub.sample.has_value();
  const bool since = !scrub.since.empty();
  constexpr uint32_t kWholeShare = 10'000;
  if (sampled && (*scrub.sample == 0 || *scrub.sample > kWholeShare)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a sample must be above 0 % and at most 100 %");
  }
  if (sampled && since) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a sample cannot be compared with an older file");
  }
  if (sampled && options.level != VerifyLevel::kChecksums &&
      options.level != VerifyLevel::kObjects) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a sample needs the level checksums or objects");
  }
  if (sampled && !repository.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a sample cannot be compared with a repository");
  }
  if (scrub.own && (sampled || since)) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        "a sample, an older file and the file's own blocks exclude "
        "each other");
  }
  std::error_code ignored;
  if (since && std::filesystem::equivalent(path, scrub.since, ignored)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a file cannot be its own older file: '{}'", AtPath{path});
  }
  if (since && options.level < VerifyLevel::kObjects) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "an older file needs the level objects or connectivity");
  }
  return {};
}

// The file ScrubOptions::since; null without one.
Result<std::unique_ptr<ArchiveFile>> OpenOlder(const std::string& since,
                                               const VerifyOptions& options) {
  if (since.empty()) return nullptr;
  ZPACK_ASSIGN_OR_RETURN(
      auto file,
      OpenForReading(since, options.read, options.run.stop, DiskPages::kOwn));
  return ArchiveFile::Open(std::move(file), options.read);
}

// Opens the repository to compare with; null without one.
Result<std::unique_ptr<ObjectSource>> OpenSource(const std::string& repository,
                                                 const VerifyOptions& options,
                                                 VerifyReport& report) {
  if (repository.empty()) return nullptr;
  ZPACK_ASSIGN_OR_RETURN(const RepositoryLocation location,
                         FindRepository(repository, options.discovery));
  report.git_directory = location.git_directory;
  ReadingOptions reading = ReadingOptions::For(options.run);
  reading.unreadable = UnreadableFiles::kPassOver;
  ZPACK_ASSIGN_OR_RETURN(auto source, OpenRepository(location, reading));
  report.missing_alternates = source->MissingAlternates();
  return source;
}

// Loads the index, for what looks up ids. Returns false if the file is too
// damaged for that, which is in the report then.
Result<bool> LoadIndex(const ArchiveFile& archive, VerifyReport& report) {
  if (archive.LoadIndex()) return true;
  // Otherwise, there is a reason that has been reported.
  if (report.damages.empty()) ZPACK_TRY(VerifyDerivedIds(archive, report));
  return false;
}

// kInvalidArgument if ScrubOptions::since is of another repository.
Status CheckOlder(const ArchiveFile& archive, const ArchiveFile& older) {
  VerifyReport ignored;  // What keeps ids from being known is found again.
  ZPACK_ASSIGN_OR_RETURN(const bool loaded, LoadIndex(archive, ignored));
  if (!loaded) return {};
  ZPACK_ASSIGN_OR_RETURN(const bool same, IsSameRepository(archive, older));
  if (same) return {};
  return MakeError(ErrorCode::kInvalidArgument,
                   "'{}' is the file of another repository: it shares no "
                   "commit with '{}'",
                   AtPath{older.path()}, AtPath{archive.path()});
}

// Compares the file with a repository, unless it is too damaged for that.
Status Compare(const ArchiveFile& archive, ObjectSource& source,
               const VerifyOptions& options, VerifyReport& report) {
  ZPACK_ASSIGN_OR_RETURN(const bool loaded, LoadIndex(archive, report));
  if (!loaded) return {};
  ZPACK_TRY(CompareWithSource(archive, source, options, report));
  // The end of a phase is progress, too, which may stop the operation.
  return CheckStop(options.run.stop);
}

enum class Facts : uint8_t { kNo, kYes };

// VerifyArchive, and what Attest adds to the report.
Status VerifyWithFacts(const ArchiveFile& archive, VerifyPlan plan,
                       const RunOptions& run, Facts facts,
                       VerifyReport& report) {
  if (facts == Facts::kNo) return VerifyArchive(archive, plan, run, report);
  Hasher whole_file(HashAlgorithm::kSha256);
  plan.whole_file = &whole_file;
  ZPACK_TRY(VerifyArchive(archive, plan, run, report));
  ZPACK_ASSIGN_OR_RETURN(const bool loaded, LoadIndex(archive, report));
  if (!loaded || !report.damages.empty()) return {};
  std::array<uint8_t, Hasher::kMaxSize> hash;
  ZPACK_ASSIGN_OR_RETURN(
      report.facts,
      CollectFacts(archive, ToHex(whole_file.Finish(hash)), run.stop));
  return {};
}

Result<VerifyReport> VerifyFile(const std::string& path,
                                const std::string& repository,
                                const VerifyOptions& given,
                                const ScrubOptions& scrub, Facts facts) {
  ZPACK_TRY(CheckScrub(path, repository, given, scrub));
  PhaseTimer timer(given.run.progress);
  VerifyOptions options = given;
  options.run.progress = &timer;
  options.read = BoundedReads(given.read, options.run);
  if (!scrub.own) options.read.index_cache = IndexCache::kNo;
  options.read.damages = nullptr;  // They are in the report.
  VerifyReport report;
  report.level = options.level;
  std::optional<Libgit2Options> libgit2_options;
  // Open the repository first, so that a wrong name does not cost an hour of
  // verification.
  if (!repository.empty()) libgit2_options.emplace();
  ZPACK_ASSIGN_OR_RETURN(const auto source,
                         OpenSource(repository, options, report));
  ZPACK_ASSIGN_OR_RETURN(const auto older, OpenOlder(scrub.since, options));
  ZPACK_ASSIGN_OR_RETURN(
      auto file,
      OpenForReading(path, options.read, options.run.stop, DiskPages::kOwn));
  report.file_bytes = file->size();
  const auto archive =
      ArchiveFile::OpenStructure(std::move(file), options.read);
  if (!archive) {
    // A file with a broken structure cannot be checked any further.
    if (archive.error().code != ErrorCode::kCorrupt) {
      return std::unexpected(archive.error());
    }
    ZPACK_TRY(NoteUnusable(path, archive.error(), options, report));
    return report;
  }
  options.run.threads = DecodingThreads(given.run, (*archive)->total_size(),
                                        (*archive)->blocks().features());
  report.file_hash = ToHex((*archive)->trailer().file_hash);
  const VerifyPlan plan{
      .level = options.level,
      .sample = scrub.sample,
      .seed = scrub.seed ? *scrub.seed : std::random_device{}(),
      .older = older.get(),
      .own = scrub.own};
  if (older != nullptr) ZPACK_TRY(CheckOlder(**archive, *older));
  ZPACK_TRY(VerifyWithFacts(**archive, plan, options.run, facts, report));
  // To look at the parity means to read the whole file.
  if (scrub.sample) {
    report.phases = timer.phases();
    return report;
  }
  ZPACK_TRY(CheckParityOf(**archive, path, scrub, options, report));
  if (source != nullptr) {
    ZPACK_TRY(Compare(**archive, *source, options, report));
  }
  report.phases = timer.phases();
  return report;
}

}  // namespace

Result<VerifyReport> Verify(const std::string& path,
                            const std::string& repository,
                            const VerifyOptions& options) {
  return Guarded(
      [&] { return VerifyFile(path, repository, options, {}, Facts::kNo); });
}

Result<VerifyReport> Scrub(const std::string& path,
                           const std::string& repository,
                           const VerifyOptions& options,
                           const ScrubOptions& scrub) {
  return Guarded(
      [&] { return VerifyFile(path, repository, options, scrub, Facts::kNo); });
}

Result<VerifyReport> Attest(const std::string& path,
                            const std::string& repository,
                            const VerifyOptions& options,
                            const ScrubOptions& scrub) {
  return Guarded([&]() -> Result<VerifyReport> {
    if (scrub.sample || options.level < VerifyLevel::kChecksums) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "facts need the level checksums or a higher one, and no "
                       "sample");
    }
    return VerifyFile(path, repository, options, scrub, Facts::kYes);
  });
}

}  // namespace zpack
