// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/phase_timer.h"
#include "convert/convert_inventory.h"
#include "convert/convert_read_back.h"
#include "convert/convert_source.h"
#include "convert/convert_update.h"
#include "convert/leave_out_damaged.h"
#include "convert/make_stats.h"
#include "convert/unfinished_file.h"
#include "convert/weaker_blocks.h"
#include "format/constants.h"
#include "object/open_timed.h"
#include "object/surviving_source.h"
#include "reader/archive_file.h"
#include "reader/backing_finder.h"
#include "reader/decoders.h"
#include "reader/dependent_files.h"
#include "reader/repository_file_reader.h"
#include "verify/verify_source.h"
#include "writer/archive_writer.h"
#include "writer/encoding_options.h"
#include "zpack/convert.h"
#include "zpack/publish_file.h"

namespace zpack {
namespace {

// Bytes of memory that threads share: the program, and caches and buffers of
// the source.
constexpr uint64_t kConvertMemory = uint64_t{64} << 20;

// The parameters of ConvertTo.
struct Conversion {
  // Without the damaged objects; null once nothing will be read any more.
  std::unique_ptr<ObjectSource>& source;
  const DamagedObjects& damaged;
  const SourceOpener& open_source;  // likewise
  FileSystem& file_system;
  const ConvertOptions& options;
  const EncodingOptions& encoding;
  AtomicFile& output;
  // What was at the destination before any of it was read.
  const std::optional<FileIdentity>& before;
};

// Returns whether a later run may resume after this error, because the file
// written so far is good.
bool MayContinueAfter(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInterrupted:
    case ErrorCode::kOutOfMemory:
    // An object of the source, or the source itself, is damaged or missing.
    case ErrorCode::kSourceCorrupt:
    case ErrorCode::kNotFound:
    case ErrorCode::kGit:
      return true;
    default:
      return false;
  }
}

// A run that does not publish leaves alone what another run may resume.
AtomicFile::Leftover LeftoverUse(const ConvertOptions& options) {
  if (options.publication == Publication::kNo) {
    return AtomicFile::Leftover::kLeave;
  }
  return options.resume == Resume::kYes ? AtomicFile::Leftover::kKeep
                                        : AtomicFile::Leftover::kEmpty;
}

// Returns whether the temporary file of a run that failed is kept.
bool MayBeResumed(const ConvertOptions& options, ErrorCode code) {
  // With kSkip, the next run may give the file another name.
  return options.publication == Publication::kYes && !options.onto &&
         options.if_unchanged == IfUnchanged::kWrite &&
         (options.resume == Resume::kYes || MayContinueAfter(code));
}

// The result of WriteTo.
struct Written {
  FileIds ids;
  Promises promises;
  LostObjects lost_objects;
  std::vector<SourceLoss> losses;
  std::vector<std::string> damaged_files = {};
  std::vector<std::string> left_out;
  bool drops_parity = false;
  ConvertStats::Lost lost;
  WriteStats stats;
  std::string base_unused;
  bool base_unrelated = false;
  std::string resume_unused;
  // The older file is up to date, and nothing was written.
  bool unchanged = false;
  // Of a file that leaves its ids out.
  std::optional<FileIndex> index = std::nullopt;
};

// Chooses among the files that the source has.
FilesToWrite ChooseFiles(const Conversion& to, std::vector<ListedFile> listed) {
  FilesToWrite files{*to.source, to.file_system, to.options.without_files,
                     std::move(listed)};
  std::ranges::sort(files.left_out);
  const auto same = std::ranges::unique(files.left_out);
  files.left_out.erase(same.begin(), same.end());
  std::erase_if(files.files, [&](const ListedFile& file) {
    return std::ranges::binary_search(files.left_out, file.group);
  });
  return files;
}

// kInvalidArgument if a path of `with` cannot be named.
Status CheckOthers(const std::vector<std::string>& with) {
  for (const std::string& path : with) {
    if (IsValidFileName(FileGroup::kOther, path)) continue;
    return MakeError(ErrorCode::kInvalidArgument,
                     "cannot include '{}': not a path of its own below the git "
                     "directory",
                     path);
  }
  return {};
}

// kNotFound if the source has nothing at a path of `with`, or nothing that a
// file can hold.
Status CheckFound(const ObjectSource& source,
                  const std::vector<std::string>& with,
                  const ListedFiles& listed) {
  for (const std::string& path : with) {
    const auto is_there = [&](const ListedFile& file) {
      return file.group == FileGroup::kOther &&
             (file.name == path || file.name.starts_with(path + '/'));
    };
    if (std::ranges::any_of(listed.files, is_there)) continue;
    const auto unusable =
        std::ranges::find(listed.unusable, path, &UnusablePath::path);
    if (unusable != listed.unusable.end()) {
      return MakeError(ErrorCode::kNotFound, "cannot include '{}' of '{}': {}",
                       path, AtPath{source.path()},
                       MessageText{unusable->reason});
    }
    return MakeError(ErrorCode::kNotFound,
                     "cannot include '{}': no such file in '{}'", path,
                     AtPath{source.path()});
  }
  return {};
}

bool SkipsUnchanged(const ConvertOptions& options) {
  return options.onto && options.if_unchanged == IfUnchanged::kSkip;
}

// Compares what will be written with the older file, and for an update decides
// whether that file may be replaced and has to be.
Status CompareWithOlder(const Conversion& to, const RefsSnapshot& refs,
                        const FilesToWrite& files, const Inventory& inventory,
                        Written& written) {
  const ConvertOptions& options = to.options;
  if (options.update == Update::kYes) {
    ZPACK_TRY(CheckReplaceable(inventory, *to.source, options));
  }
  if (options.onto) ZPACK_TRY(CheckNoneAbsent(inventory, *to.source));
  ZPACK_ASSIGN_OR_RETURN(written.lost,
                         FindLost(inventory, refs, files, options));
  if (options.update == Update::kNo && !SkipsUnchanged(options)) return {};
  ZPACK_ASSIGN_OR_RETURN(written.unchanged,
                         IsUnchanged(inventory, refs, files, options.run.stop));
  if (options.update == Update::kNo || !options.base) return {};
  if (written.unchanged) {
    ZPACK_ASSIGN_OR_RETURN(written.stats,
                           CountWritten(*inventory.base, options.run.stop));
    return {};
  }
  if (options.dependents == Dependents::kKeep) {
    ZPACK_TRY(CheckNoneDepend(*options.base));
  }
  if (inventory.older() != nullptr) {
    const auto& toc = inventory.older()->archive().toc();
    written.drops_parity = toc.Find(format::kParityChunk) != nullptr;
  }
  return {};
}

// From here on the objects and the bytes of the archive are fixed. Forgets of
// `list` what was only for the order.
Result<ArchivePlan> Plan(const Conversion& to, const ArchiveContents& contents,
                         ObjectList& list) {
  auto plan = BlameSource(
      PlanArchive(*to.source, contents, to.encoding, to.options.run));
  list.visits = {};
  return plan;
}

// The output is made of the files of `base`, and will be as private as they
// are. kInvalidArgument if it would depend on what it replaces, kLimitExceeded
// if on too many files.
Status UseOlderFiles(const Conversion& to, const BaseFile& base) {
  const FileChain files = base.archive().files();
  for (const auto& file : files) to.output.LimitMode(file->path());
  if (!to.options.onto) return {};
  if (IsAmong(files, to.output.path())) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "'{}' cannot be replaced by a file that depends on it",
                     AtPath{to.output.path()});
  }
  return CheckChainLength(files.size() + 1, to.output.path());
}

// Writes and syncs the output under a temporary name. Sets `preamble` once the
// output may begin with it. The plan is freed on return.
Result<Written> WriteTo(const Conversion& to, const RefsSnapshot& refs,
                        const FilesToWrite& files, Bytes& preamble) {
  const ConvertOptions& options = to.options;
  ZPACK_ASSIGN_OR_RETURN(
      Inventory inventory,
      TakeInventory(*to.source, refs, to.damaged, to.file_system, options));
  Written written{.ids = inventory.ids,
                  .promises = inventory.promises,
                  .lost_objects = inventory.lost,
                  .losses = std::move(inventory.losses),
                  .left_out = inventory.left_out,
                  .lost = {},
                  .stats = {},
                  .base_unused = inventory.base_unused,
                  .base_unrelated = inventory.base_unrelated,
                  .resume_unused = {}};
  if (inventory.base) ZPACK_TRY(UseOlderFiles(to, *inventory.base));
  ZPACK_TRY(CompareWithOlder(to, refs, files, inventory, written));
  if (written.unchanged) return written;
  inventory.unused.reset();

  ArchiveContents contents{
      inventory.ids, inventory.list,     refs,          inventory.base.get(),
      inventory.far, inventory.promises, inventory.lost};
  FilesToWrite chosen = files;
  RepositoryFiles files_below;
  if (options.onto) {
    const BaseFile& below = *inventory.base;
    ZPACK_ASSIGN_OR_RETURN(files_below, ReadFileTable(below.archive()));
    chosen.below = &files_below.files;
    contents.backed = format::ChangesOf(below.archive().refs(), refs);
    ZPACK_ASSIGN_OR_RETURN(contents.backed->below, below.Describe());
    contents.first_reused = below.block_count();
  }
  ZPACK_ASSIGN_OR_RETURN(const ArchivePlan plan,
                         Plan(to, contents, inventory.list));
  WrittenBlocks already;
  if (options.resume == Resume::kYes) {
    ZPACK_ASSIGN_OR_RETURN(
        already, FindWrittenBlocks(to.file_system, to.output, plan, options.run,
                                   written.resume_unused));
  }
  preamble = plan.preamble;
  ZPACK_ASSIGN_OR_RETURN(
      written.stats, BlameSource(WriteArchive(plan, already, &chosen,
                                              options.run, to.output.file())));
  if (to.encoding.derived_ids) {
    written.index = {plan.numbers.ids, plan.numbers.numbers,
                     plan.numbers.order};
  }
  if (options.update == Update::kYes && inventory.base != nullptr) {
    ZPACK_ASSIGN_OR_RETURN(written.stats.reused.weaker_bytes,
                           EstimateWeakerBytes(inventory.base->archive(),
                                               to.encoding, options.run.stop));
  }
  return written;
}

// The ids of the file at `path` cannot be derived because of `error`. Finds out
// whether objects are to blame.
Error ExplainUnreadable(const Conversion& to, Written& written,
                        const std::string& path, Error error) {
  if (!written.index || error.code == ErrorCode::kInterrupted) return error;
  const auto check = [&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(auto file, to.file_system.OpenForRead(path));
    ZPACK_ASSIGN_OR_RETURN(
        const auto archive,
        ArchiveFile::OpenStructure(std::move(file), ReadOptions{}));
    ZPACK_TRY(archive->SetIndex(*std::exchange(written.index, std::nullopt)));
    return ReadBackFile(*to.source, *archive,
                        {written.stats.copied, to.options.base.value_or(""),
                         to.options.trust_base},
                        to.options.run);
  };
  if (Status checked = check(); !checked) return std::move(checked).error();
  return Extend(std::move(error),
                "; these objects cannot be without ids, use another profile");
}

// Checks the file at `path`, which is the output or the older file, through the
// same code that any reader uses, and returns it.
Result<std::unique_ptr<ArchiveFile>> CheckWritten(const Conversion& to,
                                                  Written& written,
                                                  const std::string& path) {
  const ConvertOptions& options = to.options;
  ZPACK_ASSIGN_OR_RETURN(auto file, to.file_system.OpenForRead(path));
  ReadOptions read{.derivation = options.run,
                   .backing = options.backing,
                   .index_cache = IndexCache::kNo};
  if (options.onto) {
    read.backing.insert(read.backing.begin(), *options.onto);
    read.index_cache = IndexCache::kYes;
  }
  ZPACK_ASSIGN_OR_RETURN(auto archive,
                         ArchiveFile::OpenStructure(std::move(file), read));
  if (const Status loaded = archive->LoadIndex(); !loaded) {
    return std::unexpected(
        ExplainUnreadable(to, written, path, loaded.error()));
  }
  RunOptions run = options.run;
  run.threads = std::min(run.threads, MaxDecoders(archive->total_size()));
  if (written.unchanged) {
    ZPACK_TRY(CheckUndamaged(*archive, options, run));
  } else if (options.read_back == ReadBack::kYes) {
    ZPACK_TRY(ReadBackFile(*to.source, *archive,
                           {written.stats.copied, options.base.value_or(""),
                            options.trust_base, options.onto.has_value()},
                           run));
  }

  if (options.read_source == ReadSource::kYes) {
    std::vector<Error> damages;
    ZPACK_TRY(VerifySource(*to.source, *archive, options.run, damages));
    if (!damages.empty()) return std::unexpected(damages.front());
  }

  if (archive->promises() != written.promises) {
    return MakeError(ErrorCode::kMismatch,
                     "the file read back has other promised objects than were "
                     "written");
  }
  ZPACK_ASSIGN_OR_RETURN(const LostObjects lost, archive->lost());
  if (lost != written.lost_objects) {
    return MakeError(
        ErrorCode::kMismatch,
        "the file read back lists other lost objects than were written");
  }

  return archive;
}

// Says so if HEAD leads to nothing, although there are refs.
void NoteDanglingHead(const RefsSnapshot& refs,
                      std::vector<std::string>& left_out) {
  if (refs.head_symref.empty() || refs.refs.empty() ||
      !refs.Resolve("HEAD").empty()) {
    return;
  }
  left_out.push_back(
      FormatMessage("the ref '{}' that HEAD points at, which does not exist",
                    refs.head_symref));
}

// What the statistics say beside what was written. `left_out` is what the
// source said of its files.
void AddToStats(Written& written, const RefsSnapshot& refs,
                std::vector<std::string> left_out, ConvertStats& stats) {
  if (const uint64_t large = written.stats.large_memory; large != 0) {
    stats.least_memory = kConvertMemory + large;
  }
  stats.base_unused = written.base_unused;
  stats.base_unrelated = written.base_unrelated;
  stats.resume_unused = written.resume_unused;
  stats.left_out = std::move(left_out);
  stats.lost = written.lost;
  stats.drops_parity = written.drops_parity;
  stats.left_out.insert(stats.left_out.end(), written.left_out.begin(),
                        written.left_out.end());
  NoteDanglingHead(refs, stats.left_out);
  stats.promised_objects = written.promises.ids.size();
  stats.lost_objects = std::move(written.losses);
  stats.damaged_files = std::move(written.damaged_files);
}

// Converts and publishes. `preamble` is as for WriteTo.
Result<ConvertStats> ConvertTo(const Conversion& to, Bytes& preamble) {
  const ConvertOptions& options = to.options;
  // Read refs and list reflogs before listing objects: an object that a ref
  // needs existed before the ref.
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, to.source->ReadRefs());
  ZPACK_ASSIGN_OR_RETURN(ListedFiles listed,
                         to.source->ListFiles(options.with_files));
  ZPACK_TRY(CheckFound(*to.source, options.with_files, listed));
  FilesToWrite files = ChooseFiles(to, std::move(listed.files));
  std::vector<std::string> damaged_files;
  if (options.keep_going == KeepGoing::kYes) {
    ZPACK_ASSIGN_OR_RETURN(damaged_files,
                           LeaveOutDamagedFiles(options.run, files));
  }
  ZPACK_ASSIGN_OR_RETURN(Written written, WriteTo(to, refs, files, preamble));
  ZPACK_ASSIGN_OR_RETURN(written.damaged_files,
                         DescribeSkipped(*to.source, written.losses));
  std::ranges::move(damaged_files, std::back_inserter(written.damaged_files));

  MovedOn moved_on;
  const uint64_t packed_bytes = to.source->PackedBytes();
  const auto missing_alternates = to.source->MissingAlternates();
  if (!written.unchanged || !options.onto) {
    ZPACK_ASSIGN_OR_RETURN(
        const auto archive,
        CheckWritten(
            to, written,
            written.unchanged ? *options.base : to.output.temporary_path()));
    // Frees what reading takes. The source, opened again, must still have every
    // object. Objects and refs that it has gained are reported.
    to.source.reset();
    ZPACK_ASSIGN_OR_RETURN(
        moved_on, CompareWithNow(to.open_source, *archive, refs,
                                 std::exchange(written.ids, {}), options));
  }

  // The file is verified from here on.
  ZPACK_TRY(CheckStop(options.run.stop));
  if (!written.unchanged && options.publication == Publication::kYes) {
    // Another process may have written a file that depends on the older one.
    if (to.before && options.dependents == Dependents::kKeep) {
      ZPACK_TRY(CheckNoneDepend(to.output.path()));
    }
    ZPACK_TRY(to.output.CommitOver(to.before));
  }
  ConvertStats stats = MakeStats(written.stats, refs, packed_bytes);
  stats.unverified_objects = CountUnverified(stats, options);
  stats.source_objects_verified = CountVerifiedInSource(stats, options);
  stats.moved_on = moved_on;
  stats.missing_alternates = missing_alternates;
  AddToStats(written, refs, std::move(listed.left_out), stats);
  if (options.update == Update::kYes || written.unchanged) {
    stats.update = written.unchanged ? UpdateResult::kUnchanged
                   : options.base    ? UpdateResult::kUpdated
                                     : UpdateResult::kCreated;
  }
  return stats;
}

Result<ConvertStats> Run(const SourceOpener& open_source,
                         FileSystem& file_system, const std::string& path,
                         const ConvertOptions& given) {
  ZPACK_ASSIGN_OR_RETURN(EncodingOptions encoding, ResolveEncoding(given));
  // Without ids, files below would have to be decoded.
  if (given.onto) encoding.derived_ids = false;
  ZPACK_TRY(CheckOthers(given.with_files));
  ZPACK_TRY(CheckBase(path, given));
  if (given.publication == Publication::kNo && given.resume == Resume::kYes) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a conversion that is not published leaves nothing to "
                     "resume");
  }
  PhaseTimer timer(given.run.progress);
  ConvertOptions options = given;
  options.run.progress = &timer;
  options.run.threads =
      EncodingThreads(given.run, kConvertMemory, EncodingMemory(encoding));

  // Claim the destination first, so that an hour of work is not lost because
  // the file cannot be created.
  ZPACK_ASSIGN_OR_RETURN(
      auto source,
      OpenTimed([&] { return open_source(SourceUse::kConvert); }, options.run));
  ZPACK_ASSIGN_OR_RETURN(
      AtomicFile output,
      AtomicFile::Create(
          file_system, path,
          options.update == Update::kYes ? Overwrite::kYes : options.overwrite,
          LeftoverUse(options)));
  if (options.onto && options.publication == Publication::kYes) {
    RemoveLeftover(file_system, *options.onto);
  }
  // The older file is read under the lock for the destination.
  const std::optional<FileIdentity> before = IdentityOf(output.path());
  Bytes preamble;
  DamagedObjects damaged;
  SourceOpener reopen = open_source;
  if (options.keep_going == KeepGoing::kYes) {
    ZPACK_TRY(LeaveOutDamaged(options.run, source, damaged, reopen));
  }
  const Conversion conversion{source,  damaged,  reopen, file_system,
                              options, encoding, output, before};
  Result<ConvertStats> stats = Guarded([&]() -> Result<ConvertStats> {
    ZPACK_ASSIGN_OR_RETURN(options.base,
                           FindOlderFile(file_system, path, options));
    return ConvertTo(conversion, preamble);
  });
  if (!stats && MayBeResumed(options, stats.error().code)) {
    KeepForResume(preamble, output);
  }
  if (stats) stats->phases = timer.phases();
  return stats;
}

}  // namespace

Result<ConvertStats> ConvertSource(const SourceOpener& open_source,
                                   FileSystem& file_system,
                                   const std::string& path,
                                   const ConvertOptions& options) {
  return Guarded([&] { return Run(open_source, file_system, path, options); });
}

uint64_t LeastMemoryToConvert(const ConvertOptions& options) {
  ConvertOptions trial = options;
  // With less memory, one thread takes less.
  uint64_t least = 0;
  while (true) {
    trial.run.memory = least;
    const auto encoding = ResolveEncoding(trial);
    if (!encoding) return 0;
    const uint64_t taken = kConvertMemory + EncodingMemory(*encoding);
    if (taken <= least) return least;
    least = taken;
  }
}

}  // namespace zpack
