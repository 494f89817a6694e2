// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/repack.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/open_timed.h"
#include "api/phase_timer.h"
#include "api/repack_borrowed.h"
#include "api/repack_old_pack.h"
#include "api/repack_packs.h"
#include "api/repack_publish.h"
#include "api/repack_repository.h"
#include "api/repack_unreachable.h"
#include "base/check.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/shared_mode.h"
#include "git/multi_pack_index.h"
#include "git/pack_directory.h"
#include "git/repack_settings.h"
#include "git/repository_layout.h"
#include "git/repository_source.h"
#include "git/server_info.h"
#include "git/shallow_file.h"
#include "inventory/object_enumerator.h"
#include "repack/late_needs.h"
#include "repack/pack_builder.h"
#include "repack/read_back.h"

namespace zpack {
namespace {

// What threads take together, and each besides its window.
constexpr uint64_t kRepackMemory = uint64_t{64} << 20;
constexpr uint64_t kThreadMemory = uint64_t{64} << 20;

// Contents that a thread keeps as candidates. Only what was asked for counts:
// otherwise the packs are the same on every machine.
uint64_t WindowMemory(const RunOptions& run) {
  constexpr uint64_t kMost = uint64_t{64} << 20;
  return run.memory ? std::min(kMost, *run.memory / 16) : kMost;
}

ReuseRule ToRule(PackReuse reuse) {
  if (reuse == PackReuse::kNothing) return ReuseRule::kNothing;
  return reuse == PackReuse::kObjects ? ReuseRule::kObjects
                                      : ReuseRule::kDeltas;
}

DeltaSearchOptions SearchOptions(const RepackSettings& settings,
                                 const RepackOptions& options) {
  DeltaSearchOptions search;
  search.window = options.window.value_or(settings.window);
  search.depth = options.depth.value_or(settings.depth);
  search.level = options.level;
  search.window_memory = WindowMemory(options.run);
  search.large_memory = ResolveMemory(options.run);
  search.big_file_threshold = settings.big_file_threshold;
  search.reuse = ToRule(options.reuse);
  return search;
}

// Objects of `list` that are in no pack of `kept`.
ObjectList WithoutKept(ObjectList list, const ObjectIdTable& kept) {
  if (kept.size() == 0) return list;
  std::vector<bool> keep(list.ids.size());
  for (uint32_t rank = 0; rank < keep.size(); ++rank) {
    keep[rank] = !kept.Find(list.ids[rank]);
  }
  return KeepObjects(std::move(list), keep);
}

// One run; see Repack.
class Repacker {
 public:
  Repacker(FileSystem& file_system, const RepackOptions& options,
           const RepositoryLocation& location, RepackSettings settings)
      : file_system_(file_system),
        options_(options),
        location_(MainLocation(location)),
        settings_(std::move(settings)) {}

  Status Run(RepackStats& stats) {
    // Packs before objects: what is listed here is read below, whatever others
    // add meanwhile.
    ZPACK_ASSIGN_OR_RETURN(packs_, DividePacks(settings_, options_));
    ZPACK_TRY(CheckRemovable());
    ZPACK_ASSIGN_OR_RETURN(
        const auto source,
        OpenTimed([&] { return OpenSource(); }, options_.run));
    if (source->IsPartialClone()) {
      return MakeError(ErrorCode::kUnsupported,
                       "'{}' is a partial clone; only git can repack it",
                       source->path());
    }
    stats.source_bytes = source->PackedBytes();
    stats.missing_alternates = source->MissingAlternates();
    ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, source->ReadRefs());
    const bool leaves = options_.unreachable != Unreachable::kDrop;
    ZPACK_ASSIGN_OR_RETURN(
        ObjectList all,
        EnumerateObjects(*source, refs,
                         leaves ? ObjectSet::kAll : options_.objects,
                         options_.run, &stats.unreadable));
    ZPACK_TRY(CheckUnreadable(stats.unreadable));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable whole,
                           ReadWholeIds(file_system_, settings_, packs_.kept));
    ZPACK_ASSIGN_OR_RETURN(
        const BorrowedObjects borrowed,
        FindBorrowed(file_system_, settings_, options_, packs_, all.ids));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable kept, Join(whole, borrowed.all));
    stats.borrowed_objects = borrowed.all.size();
    if (leaves) {
      ZPACK_ASSIGN_OR_RETURN(
          leftovers_, FindLeftovers(file_system_, *source, settings_, options_,
                                    packs_, all, kept));
      all = KeepReached(std::move(all));
    }
    const ObjectIdTable known = all.ids;
    const size_t count = all.ids.size();
    const ObjectList list = WithoutKept(std::move(all), kept);
    stats.objects = list.ids.size();
    ZPACK_TRY(WritePacks(*source, list, stats));
    if (options_.redundant == Redundant::kRemove) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable stay,
                             Join(whole, borrowed.packed));
      ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable packed, Join(list.ids, stay));
      ZPACK_TRY(RemoveRedundant(*source, known, packed, stats));
      if (DropsUnreachable()) ZPACK_TRY(PruneShallowFile());
    }
    stats.common_directory = settings_.common_directory;
    ZPACK_ASSIGN_OR_RETURN(const auto left,
                           ListPacks(settings_.object_directory));
    stats.packs = left.size();
    stats.wants_bitmap = WantsBitmap(stats, count);
    if (UpdatesServerInfo()) UpdateServerInfo(stats);
    return {};
  }

 private:
  // Not from a linked worktree: what that has for itself is among the other
  // tips of the repository, but not the other way round.
  Result<std::unique_ptr<ObjectSource>> OpenSource() const {
    return OpenRepository(location_, ReadingFor(options_.run));
  }

  // What would stop the removal of packs in the end stops the work before.
  Status CheckRemovable() const {
    if (options_.redundant == Redundant::kLeave || packs_.rewritten.empty()) {
      return {};
    }
    ZPACK_TRY(ReadIds(PosixFileSystem(), settings_, packs_.rewritten));
    ZPACK_TRY(LockMultiPackIndex(file_system_, Directory()));
    ZPACK_ASSIGN_OR_RETURN(const auto shallow,
                           ReadShallow(settings_.common_directory));
    if (!shallow.empty() && DropsUnreachable()) {
      ZPACK_TRY(LockShallow(file_system_, settings_.common_directory));
    }
    return {};
  }

  bool DropsUnreachable() const {
    return options_.objects == ObjectSet::kReachable &&
           (options_.unreachable != Unreachable::kLoosen ||
            options_.expiration.has_value());
  }

  bool UpdatesServerInfo() const {
    if (options_.publication == Publication::kNo ||
        !options_.output_directory.empty()) {
      return false;
    }
    return options_.server_info ? *options_.server_info == ServerInfo::kUpdate
                                : settings_.update_server_info;
  }

  // As for 'git repack', a failure is no reason to fail.
  void UpdateServerInfo(RepackStats& stats) {
    const auto update = [&]() -> Status {
      ZPACK_ASSIGN_OR_RETURN(
          const auto now, OpenRepository(location_, {.many_objects = false}));
      ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, now->ReadRefs());
      return UpdateRefList(file_system_, settings_.common_directory, refs,
                           settings_.shared_mode);
    };
    if (const Status status = update(); !status) {
      stats.warnings.push_back("unable to update info/refs: " +
                               status.error().message);
    }
    const Status status = UpdatePackList(
        file_system_, settings_.object_directory, settings_.shared_mode);
    if (!status) {
      stats.warnings.push_back("unable to update objects/info/packs: " +
                               status.error().message);
    }
  }

  // As 'git repack' does it at the end. Not while an alternate is missing: the
  // commits may be there.
  Status PruneShallowFile() {
    ZPACK_ASSIGN_OR_RETURN(const auto now,
                           OpenRepository(location_, {.many_objects = false}));
    if (!now->MissingAlternates().empty()) return {};
    return PruneShallow(file_system_, settings_.common_directory, *now);
  }

  // A bitmap needs everything that is reachable, so objects that only
  // alternates have rule it out. Otherwise this decides as 'git repack -a'
  // does, except that several packs do not prevent a bitmap that was asked for.
  // `reachable` is the number of objects that were to be packed or are in packs
  // that stay.
  bool WantsBitmap(const RepackStats& stats, size_t reachable) const {
    if (options_.publication == Publication::kNo ||
        !options_.output_directory.empty() || !settings_.multi_pack_index ||
        stats.borrowed_objects != 0) {
      return false;
    }
    if (options_.bitmap) {
      return *options_.bitmap == Bitmap::kYes && stats.packs != 0;
    }
    if (settings_.write_bitmaps) {
      return *settings_.write_bitmaps && stats.packs != 0;
    }
    return settings_.bare && stats.objects == reachable &&
           stats.names.size() == 1;
  }

  std::string Directory() const {
    return options_.output_directory.empty()
               ? PackDirectory(settings_.object_directory)
               : options_.output_directory;
  }

  // As Git leaves them, damaged loose files that nothing needs stay as they
  // are; but a pack with such an object would go.
  Status CheckUnreadable(const std::vector<ObjectId>& unreadable) const {
    if (unreadable.empty()) return {};
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable old,
                           ReadIds(file_system_, settings_, packs_.rewritten));
    for (const ObjectId& id : unreadable) {
      if (!old.Find(id)) continue;
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot read object {} of '{}', which is in a pack",
                       id.ToHex(), settings_.common_directory);
    }
    return {};
  }

  // The pack of what is reachable, and a cruft pack.
  Status WritePacks(ObjectSource& source, const ObjectList& list,
                    RepackStats& stats) {
    const bool cruft = options_.unreachable == Unreachable::kCruft &&
                       leftovers_.list.ids.size() != 0;
    if (list.ids.size() == 0 && !cruft) return {};
    if (options_.output_directory.empty()) {
      // Git makes it when it needs it.
      ZPACK_TRY(MakeSharedDirectory(file_system_, Directory(),
                                    settings_.shared_mode));
    }
    if (list.ids.size() != 0) {
      ZPACK_ASSIGN_OR_RETURN(stats.names, WriteList(source, list, {}, stats));
    }
    if (cruft) {
      stats.cruft_objects = leftovers_.list.ids.size();
      ZPACK_ASSIGN_OR_RETURN(
          stats.cruft_names,
          WriteList(source, leftovers_.list, leftovers_.mtimes, stats));
    }
    return {};
  }

  // Cruft packs, if there are mtimes. Returns the names of the packs.
  Result<std::vector<std::string>> WriteList(
      ObjectSource& source, const ObjectList& list,
      const std::vector<uint32_t>& mtimes, RepackStats& stats) {
    // Written, synced, read back, but under temporary names.
    const DeltaSearchOptions search = SearchOptions(settings_, options_);
    ZPACK_ASSIGN_OR_RETURN(
        const auto packs,
        BuildStockPacks(
            source, list, search,
            options_.max_pack_size.value_or(settings_.max_pack_size),
            options_.run, file_system_, Directory()));
    if (mtimes.empty()) {
      ZPACK_ASSIGN_OR_RETURN(
          const auto old,
          FindSmallerOldPack(file_system_, settings_, options_, packs_, source,
                             list, search, packs));
      if (old) {
        stats.kept_pack = old->name;
        stats.pack_bytes += old->bytes;
        return std::vector{old->name};
      }
    }
    uint64_t objects = 0;
    for (const BuiltPack& pack : packs) {
      ZPACK_TRY(CompletePack(pack, list, mtimes));
      objects += pack.ranks.size();
      stats.pack_bytes += pack.writer->bytes();
    }
    ZPACK_CHECK(objects == list.ids.size());
    ZPACK_TRY(CheckStop(options_.run.stop));
    std::vector<std::string> names;
    if (options_.publication == Publication::kNo) return names;

    // From here on the packs are known to be good, and Git may use them.
    if (options_.output_directory.empty()) {
      return PublishPacks(file_system_, settings_, packs_,
                          Going(!mtimes.empty(), stats.names), packs);
    }
    for (const BuiltPack& pack : packs) {
      ZPACK_ASSIGN_OR_RETURN(const std::string name,
                             pack.writer->Publish(settings_.shared_mode));
      names.push_back(name);
    }
    return names;
  }

  // The packs that are to be removed, as far as it is known: cruft packs may
  // stay until the new cruft pack, the last one, gets its name. `names` stay.
  std::vector<StockPackFiles> Going(
      bool with_cruft, const std::vector<std::string>& names) const {
    if (options_.redundant == Redundant::kLeave) return {};
    std::vector<StockPackFiles> going = packs_.rewritten;
    std::erase_if(going, [&](const StockPackFiles& pack) {
      return (pack.cruft && !with_cruft) ||
             std::ranges::find(names, pack.name) != names.end();
    });
    return going;
  }

  // Makes a cruft pack of it, if there are mtimes, and reads it back.
  Status CompletePack(const BuiltPack& pack, const ObjectList& list,
                      const std::vector<uint32_t>& mtimes) {
    Bytes ids;
    std::vector<uint32_t> own;
    for (const uint32_t rank : pack.ranks) {
      Append(ids, list.ids[rank].bytes());
      if (!mtimes.empty()) own.push_back(mtimes[rank]);
    }
    ZPACK_ASSIGN_OR_RETURN(
        const ObjectIdTable expected,
        ObjectIdTable::FromSorted(list.ids.format(), std::move(ids)));
    if (!mtimes.empty()) ZPACK_TRY(pack.writer->WriteMtimes(own));
    return VerifyStockPack(pack.writer->temporary_pack(),
                           pack.writer->temporary_index(), expected,
                           options_.run, file_system_);
  }

  // Removes the packs that were rewritten, unless something in them that was
  // not packed is needed by now, and loose objects that are in new or kept
  // packs, as 'git prune-packed' does it.
  Status RemoveRedundant(ObjectSource& source, const ObjectIdTable& known,
                         const ObjectIdTable& packed, RepackStats& stats) {
    std::erase_if(packs_.rewritten, [&](const StockPackFiles& pack) {
      return std::ranges::find(stats.names, pack.name) != stats.names.end() ||
             std::ranges::find(stats.cruft_names, pack.name) !=
                 stats.cruft_names.end();
    });
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable old,
                           ReadIds(file_system_, settings_, packs_.rewritten));
    if (options_.unreachable == Unreachable::kLoosen) {
      ZPACK_ASSIGN_OR_RETURN(stats.loosened_objects,
                             LoosenObjects(file_system_, source, settings_,
                                           leftovers_, old, options_.run.stop));
    }
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable stays,
                           Join(known, leftovers_.list.ids));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable doomed, Without(old, stays));
    if (doomed.size() != 0) {
      ZPACK_ASSIGN_OR_RETURN(const auto now, OpenSource());
      ZPACK_ASSIGN_OR_RETURN(const auto needed,
                             FindNeededAgain(*now, known, doomed));
      if (needed) {
        stats.needed_again = needed->ToHex();
        return {};
      }
      if (stats.missing_alternates.empty()) {
        stats.missing_alternates = now->MissingAlternates();
      }
      if (!stats.missing_alternates.empty()) {
        ZPACK_TRY(KeepPacksWith(doomed, stats));
      }
    }
    ZPACK_TRY(RemoveOldPacks(stats));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable redundant,
                           options_.unreachable == Unreachable::kCruft
                               ? Join(packed, leftovers_.list.ids)
                               : Result<ObjectIdTable>(packed));
    ZPACK_ASSIGN_OR_RETURN(
        const RemovedLoose loose,
        RemoveLooseObjects(file_system_, settings_.object_directory,
                           redundant));
    stats.removed_loose = loose.count;
    // They are packed, so nothing is wrong; 'git prune-packed' warns, too.
    if (loose.why) {
      stats.warnings.push_back(
          fmt::format("unable to remove {} loose objects that are packed: {}",
                      loose.left, loose.why->message));
    }
    return {};
  }

  // An object of an alternate that is missing may need what is `doomed`.
  Status KeepPacksWith(const ObjectIdTable& doomed, RepackStats& stats) {
    ZPACK_ASSIGN_OR_RETURN(
        const auto staying,
        PacksWith(file_system_, settings_, packs_.rewritten, doomed));
    stats.packs_with_unreachable = staying.size();
    std::erase_if(packs_.rewritten, [&](const StockPackFiles& pack) {
      return std::ranges::find(staying, pack) != staying.end();
    });
    return {};
  }

  Status RemoveOldPacks(RepackStats& stats) {
    // A pack that was written again, or is to be kept by now, stays: another
    // repack may be removing ours, which it saw under the same name.
    if (packs_.rewritten.empty()) return {};
    ZPACK_ASSIGN_OR_RETURN(const LockFile lock,
                           LockMultiPackIndex(file_system_, Directory()));
    ZPACK_ASSIGN_OR_RETURN(const auto now,
                           ListPacks(settings_.object_directory));
    std::erase_if(packs_.rewritten, [&](const StockPackFiles& pack) {
      return std::ranges::find(now, pack) == now.end();
    });
    stats.removed_packs = packs_.rewritten.size();
    return RemovePacks(file_system_, settings_.object_directory,
                       packs_.rewritten);
  }

  FileSystem& file_system_;
  const RepackOptions& options_;
  RepositoryLocation location_;
  RepackSettings settings_;
  PackSets packs_;
  Leftovers leftovers_;
};

}  // namespace

Result<RepackStats> RepackRepository(FileSystem& file_system,
                                     const std::string& repository,
                                     const RepackOptions& given) {
  if (given.redundant == Redundant::kRemove &&
      (given.publication == Publication::kNo ||
       !given.output_directory.empty())) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "nothing is redundant without a new pack in '{}'",
                     repository);
  }
  if (given.unreachable != Unreachable::kDrop &&
      given.objects == ObjectSet::kAll) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "unreachable objects cannot be kept in two ways");
  }
  ZPACK_ASSIGN_OR_RETURN(const RepositoryLocation location,
                         FindRepository(repository, given.discovery));
  ZPACK_ASSIGN_OR_RETURN(RepackSettings settings, ReadRepackSettings(location));
  if (settings.precious_objects && given.redundant == Redundant::kRemove) {
    return MakeError(ErrorCode::kUnsupported,
                     "cannot delete packs in a precious-objects repo: '{}'",
                     repository);
  }
  if (given.bitmap == Bitmap::kYes && !settings.multi_pack_index) {
    return MakeError(ErrorCode::kUnsupported,
                     "cannot write a bitmap: core.multiPackIndex is false in "
                     "'{}', so that git would not read it",
                     repository);
  }
  PhaseTimer timer(given.run.progress);
  RepackOptions options = given;
  options.run.progress = &timer;
  options.run.threads = FittingThreads(given.run, kRepackMemory,
                                       kThreadMemory + WindowMemory(given.run));
  RepackStats stats;
  ZPACK_TRY(
      Repacker(file_system, options, location, std::move(settings)).Run(stats));
  stats.phases = timer.phases();
  return stats;
}

Result<RepackStats> Repack(const std::string& repository,
                           const RepackOptions& options) {
  return Guarded(
      [&] { return RepackRepository(PosixFileSystem(), repository, options); });
}

}  // namespace zpack
