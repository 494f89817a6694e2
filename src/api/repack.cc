// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/repack.h"

#include <algorithm>
#include <utility>

#include "api/phase_timer.h"
#include "api/repack_repository.h"
#include "base/error.h"
#include "base/shared_mode.h"
#include "git/pack_directory.h"
#include "git/repack_settings.h"
#include "git/repository_source.h"
#include "repack/late_needs.h"
#include "repack/pack_builder.h"
#include "repack/read_back.h"
#include "writer/object_enumerator.h"

namespace zpack {
namespace {

// The packs of a repository before, by what is to become of them.
struct PackSets {
  std::vector<StockPackFiles> kept;
  std::vector<StockPackFiles> rewritten;
};

bool Names(const std::string& pack, const std::string& keep) {
  return keep == pack || keep == pack + ".pack";
}

Result<PackSets> DividePacks(const RepackSettings& settings,
                             const RepackOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(const auto packs,
                         ListPacks(settings.object_directory));
  PackSets sets;
  for (const StockPackFiles& pack : packs) {
    const bool keep =
        pack.keep ||
        std::ranges::any_of(options.keep_packs, [&](const std::string& name) {
          return Names(pack.name, name);
        });
    // Git keeps unreachable objects in cruft packs on purpose.
    (keep || pack.cruft ? sets.kept : sets.rewritten).push_back(pack);
  }
  for (const std::string& name : options.keep_packs) {
    if (std::ranges::none_of(packs, [&](const StockPackFiles& pack) {
          return Names(pack.name, name);
        })) {
      return MakeError(ErrorCode::kNotFound, "no pack '{}' in '{}'", name,
                       settings.object_directory);
    }
  }
  return sets;
}

// The ids of several packs. One that is gone by now was removed by another
// repack, which keeps what is needed.
Result<ObjectIdTable> ReadIds(FileSystem& file_system,
                              const RepackSettings& settings,
                              const std::vector<StockPackFiles>& packs) {
  Bytes all;
  for (const StockPackFiles& pack : packs) {
    const Result<ObjectIdTable> ids =
        ReadPackIds(file_system, settings.object_directory, pack.name);
    if (ids) {
      Append(all, ids->bytes());
    } else if (ids.error().code != ErrorCode::kNotFound) {
      return std::unexpected(ids.error());
    }
  }
  return ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(all));
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

// The ids of `packs` that are not in `known`.
Result<ObjectIdTable> FindDoomed(const ObjectIdTable& packs,
                                 const ObjectIdTable& known) {
  Bytes doomed;
  for (const uint32_t rank : FindDifference(packs, known).only_in_a) {
    Append(doomed, packs[rank].bytes());
  }
  return ObjectIdTable::FromSorted(packs.format(), std::move(doomed));
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
  search.window_memory = options.window_memory;
  // What fits no window is not searched, and need not be in memory whole.
  search.big_file_threshold =
      std::min(options.window_memory, settings.big_file_threshold);
  search.reuse = ToRule(options.reuse);
  return search;
}

// One run; see Repack.
class Repacker {
 public:
  Repacker(FileSystem& file_system, const RepackOptions& options,
           RepackSettings settings)
      : file_system_(file_system),
        options_(options),
        settings_(std::move(settings)) {}

  Status Run(RepackStats& stats) {
    // Packs before objects: what is listed here is read below, whatever others
    // add meanwhile.
    ZPACK_ASSIGN_OR_RETURN(packs_, DividePacks(settings_, options_));
    ZPACK_ASSIGN_OR_RETURN(const auto source, OpenSource());
    if (source->IsPartialClone()) {
      return MakeError(ErrorCode::kUnsupported,
                       "'{}' is a partial clone; only git can repack it",
                       source->path());
    }
    stats.source_bytes = source->PackedBytes();
    ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, source->ReadRefs());
    ZPACK_ASSIGN_OR_RETURN(
        ObjectList all,
        EnumerateObjects(*source, refs, options_.objects, options_.run));
    const ObjectIdTable known = all.ids;
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable kept,
                           ReadIds(file_system_, settings_, packs_.kept));
    const ObjectList list = WithoutKept(std::move(all), kept);
    stats.objects = list.ids.size();
    if (stats.objects != 0) {
      ZPACK_TRY(WritePack(*source, list, stats));
    }
    if (options_.redundant == Redundant::kRemove) {
      ZPACK_TRY(RemoveRedundant(known, list.ids, stats));
    }
    return options_.output_directory.empty()
               ? UpdatePackList(file_system_, settings_.object_directory)
               : Status{};
  }

 private:
  // Not from a linked worktree: what that has for itself is among the other
  // tips of the repository, but not the other way round.
  Result<std::unique_ptr<ObjectSource>> OpenSource() const {
    return OpenRepository(settings_.common_directory);
  }

  std::string Directory() const {
    return options_.output_directory.empty()
               ? settings_.object_directory + "/pack"
               : options_.output_directory;
  }

  Status WritePack(ObjectSource& source, const ObjectList& list,
                   RepackStats& stats) {
    if (options_.output_directory.empty()) {
      // Git makes it when it needs it.
      ZPACK_TRY(MakeSharedDirectory(file_system_, Directory(),
                                    settings_.shared_mode));
    }
    // Written, synced, read back, but under temporary names.
    ZPACK_ASSIGN_OR_RETURN(
        const auto pack,
        BuildStockPack(source, list, SearchOptions(settings_, options_),
                       options_.run, file_system_, Directory()));
    ZPACK_TRY(VerifyStockPack(*pack, list.ids, options_.run, file_system_));
    ZPACK_TRY(CheckStop(options_.run.stop));
    stats.pack_bytes = pack->bytes();
    if (options_.publication == Publication::kNo) return {};

    // From here on the pack is known to be good, and Git may use it.
    ZPACK_ASSIGN_OR_RETURN(stats.name, pack->Publish(settings_.shared_mode));
    return {};
  }

  // Removes the packs that were rewritten, unless something in them that was
  // not packed is needed by now, and loose objects that are in the new pack.
  Status RemoveRedundant(const ObjectIdTable& known,
                         const ObjectIdTable& packed, RepackStats& stats) {
    std::erase_if(packs_.rewritten, [&](const StockPackFiles& pack) {
      return pack.name == stats.name;
    });
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable old,
                           ReadIds(file_system_, settings_, packs_.rewritten));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable doomed, FindDoomed(old, known));
    if (doomed.size() != 0) {
      ZPACK_ASSIGN_OR_RETURN(const auto now, OpenSource());
      ZPACK_ASSIGN_OR_RETURN(const auto needed,
                             FindNeededAgain(*now, known, doomed));
      if (needed) {
        stats.needed_again = needed->ToHex();
        return {};
      }
    }
    // A pack that was written again, or is to be kept by now, stays: another
    // repack may be removing ours, which it saw under the same name.
    ZPACK_ASSIGN_OR_RETURN(const auto now,
                           ListPacks(settings_.object_directory));
    std::erase_if(packs_.rewritten, [&](const StockPackFiles& pack) {
      return std::ranges::find(now, pack) == now.end();
    });
    ZPACK_TRY(RemovePacks(file_system_, settings_.object_directory,
                          packs_.rewritten));
    stats.removed_packs = packs_.rewritten.size();
    ZPACK_ASSIGN_OR_RETURN(
        stats.removed_loose,
        RemoveLooseObjects(file_system_, settings_.object_directory, packed));
    return {};
  }

  FileSystem& file_system_;
  const RepackOptions& options_;
  RepackSettings settings_;
  PackSets packs_;
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
  ZPACK_ASSIGN_OR_RETURN(RepackSettings settings,
                         ReadRepackSettings(repository));
  if (settings.precious_objects && given.redundant == Redundant::kRemove) {
    return MakeError(ErrorCode::kUnsupported,
                     "cannot delete packs in a precious-objects repo: '{}'",
                     repository);
  }
  PhaseTimer timer(given.run.progress);
  RepackOptions options = given;
  options.run.progress = &timer;
  RepackStats stats;
  ZPACK_TRY(Repacker(file_system, options, std::move(settings)).Run(stats));
  for (const auto& phase : timer.phases()) {
    stats.phases.push_back({phase.title, phase.seconds});
  }
  return stats;
}

Result<RepackStats> Repack(const std::string& repository,
                           const RepackOptions& options) {
  return RepackRepository(PosixFileSystem(), repository, options);
}

}  // namespace zpack
