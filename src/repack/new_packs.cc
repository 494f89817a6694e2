// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/new_packs.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/shared_mode.h"
#include "repack/old_pack.h"
#include "repack/pack_builder.h"
#include "repack/publish_packs.h"
#include "repack/read_back.h"

namespace zpack {
namespace {

class NewPacks {
 public:
  NewPacks(const RepackJob& job, const PackSets& packs, ObjectSource& source,
           const ObjectChoice& choice, RepackStats& stats)
      : job_(job),
        packs_(packs),
        source_(source),
        choice_(choice),
        stats_(stats) {}

  enum class Kind : uint8_t { kUsual, kPromisor, kCruft, kFilteredOut };

  // Writes packs. Cruft packs need `mtimes`. Returns the names of the packs.
  Result<std::vector<std::string>> Write(
      Kind kind, const ObjectList& list,
      const IndexedVector<ListRank, uint32_t>& mtimes) {
    // Packs are written, synced and verified under temporary names.
    const DeltaSearchOptions search = Search(kind);
    ZPACK_ASSIGN_OR_RETURN(
        const auto built,
        BuildPacks(job_, source_, list, search, job_.directory()));
    // The deltas of an old pack may not respect islands.
    if (kind == Kind::kUsual && search.islands == nullptr) {
      ZPACK_ASSIGN_OR_RETURN(
          const auto old,
          FindSmallerOldPack(job_, packs_, source_, list, built));
      if (old) {
        stats_.kept_pack = old->name;
        stats_.pack_bytes += old->bytes;
        return std::vector{old->name};
      }
    }
    ZPACK_TRY(CompleteAll(kind, list, mtimes, built));
    if (job_.options.publication == Publication::kNo) {
      return std::vector<std::string>();
    }
    // The packs are verified now, so Git may use them.
    return job_.into_repository()
               ? PublishPacks(job_, packs_,
                              Going(kind == Kind::kCruft ? CruftPacks::kGo
                                                         : CruftPacks::kStay),
                              built)
               : PublishElsewhere(built, "pack");
  }

  // Writes packs, as above, whose names are `prefix`, a hyphen and a hash.
  Status WriteTo(const std::string& prefix, Kind kind, const ObjectList& list,
                 const IndexedVector<ListRank, uint32_t>& mtimes) {
    const std::string directory = DirectoryOf(prefix);
    const std::string base = prefix.substr(prefix.rfind('/') + 1);
    ZPACK_ASSIGN_OR_RETURN(
        const auto built,
        BuildPacks(job_, source_, list, Search(kind), directory));
    ZPACK_TRY(CompleteAll(kind, list, mtimes, built));
    if (job_.options.publication == Publication::kNo) return {};
    ZPACK_TRY(PublishElsewhere(built, base));
    return {};
  }

 private:
  DeltaSearchOptions Search(Kind kind) const {
    if (kind == Kind::kCruft) return job_.cruft_search();
    DeltaSearchOptions search = job_.search();
    const auto& islands =
        kind == Kind::kUsual ? choice_.islands : choice_.filtered_islands;
    if (kind != Kind::kPromisor && islands) search.islands = &*islands;
    return search;
  }

  // Verifies all packs of `list`.
  Status CompleteAll(Kind kind, const ObjectList& list,
                     const IndexedVector<ListRank, uint32_t>& mtimes,
                     const std::vector<BuiltPack>& built) {
    uint64_t objects = 0;
    for (const BuiltPack& pack : built) {
      if (kind == Kind::kPromisor) ZPACK_TRY(pack.writer->WritePromisor());
      ZPACK_TRY(Complete(pack, list, mtimes));
      objects += pack.ranks.size();
      stats_.pack_bytes += pack.writer->bytes();
    }
    ZPACK_CHECK(objects == list.ids.size());
    return CheckStop(job_.options.run.stop);
  }

  // Verifies a pack. If `mtimes` is not empty, makes it a cruft pack first.
  Status Complete(const BuiltPack& pack, const ObjectList& list,
                  const IndexedVector<ListRank, uint32_t>& mtimes) {
    Bytes ids;
    IndexedVector<PackRank, uint32_t> own;
    for (const ListRank rank : pack.ranks) {
      Append(ids, list.ids[rank].bytes());
      if (!mtimes.empty()) own.push_back(mtimes[rank]);
    }
    ZPACK_ASSIGN_OR_RETURN(
        const PackIds expected,
        ObjectIdTable::FromSorted(list.ids.format(), std::move(ids)));
    if (!mtimes.empty()) ZPACK_TRY(pack.writer->WriteMtimes(own));
    return VerifyPack(pack.writer->temporary_pack(),
                      pack.writer->temporary_index(), expected,
                      job_.options.run, job_.file_system);
  }

  enum class CruftPacks : uint8_t { kStay, kGo };

  // The packs that the repack removes. Until the new cruft pack is published,
  // which happens last, the old cruft packs stay. New packs stay.
  std::vector<PackFiles> Going(CruftPacks cruft) const {
    if (job_.options.redundant == Redundant::kLeave) return {};
    std::vector<PackFiles> going = packs_.rewritten;
    std::erase_if(going, [&](const PackFiles& pack) {
      return pack.cruft && cruft == CruftPacks::kStay;
    });
    RemoveNamed(stats_.names, going);
    return going;
  }

  // Each name is `base`, a hyphen and a hash. A pack of the same name there is
  // the same pack; what belongs to it stays.
  Result<std::vector<std::string>> PublishElsewhere(
      const std::vector<BuiltPack>& built, const std::string& base) const {
    std::vector<std::string> names;
    for (const BuiltPack& pack : built) {
      const std::string& name = pack.writer->name();
      names.push_back(base + name.substr(name.find('-')));
      ZPACK_TRY(pack.writer->Publish(names.back(), job_.settings.shared_mode));
    }
    return names;
  }

  const RepackJob& job_;
  const PackSets& packs_;
  ObjectSource& source_;
  const ObjectChoice& choice_;
  RepackStats& stats_;
};

Status MakePackDirectory(const RepackJob& job) {
  if (!job.into_repository()) return {};
  // Git makes it when it needs it.
  ZPACK_TRY(MakeSharedDirectory(job.file_system, job.directory(),
                                job.settings.shared_mode));
  // An earlier run may have made it, too, and may have been killed.
  return job.file_system.SyncDirectory(DirectoryOf(job.directory()));
}

}  // namespace

Status WriteNewPacks(const RepackJob& job, const PackSets& packs,
                     ObjectSource& source, const ObjectChoice& choice,
                     RepackStats& stats) {
  using enum NewPacks::Kind;
  const Leftovers& leftovers = choice.leftovers;
  const bool cruft = job.options.unreachable == Unreachable::kCruft &&
                     leftovers.list.ids.size() != 0;
  const bool promised = choice.promised.ids.size() != 0;
  const bool filtered = choice.filtered_out.ids.size() != 0;
  const bool expired = leftovers.expired.ids.size() != 0;
  NewPacks packs_to_be(job, packs, source, choice, stats);
  if (choice.list.ids.size() != 0 || cruft || promised || filtered) {
    ZPACK_TRY(MakePackDirectory(job));
  }
  // Nothing is published here if a pack cannot be written elsewhere.
  if (filtered && !job.options.filter_to.empty()) {
    ZPACK_TRY(packs_to_be.WriteTo(job.options.filter_to, kFilteredOut,
                                  choice.filtered_out, {}));
  }
  if (expired) {
    ZPACK_TRY(packs_to_be.WriteTo(job.options.expire_to, kCruft,
                                  leftovers.expired, leftovers.expired_mtimes));
  }
  if (choice.list.ids.size() != 0) {
    ZPACK_ASSIGN_OR_RETURN(stats.names,
                           packs_to_be.Write(kUsual, choice.list, {}));
  }
  if (promised) {
    ZPACK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           packs_to_be.Write(kPromisor, choice.promised, {}));
    stats.names.insert(stats.names.end(), names.begin(), names.end());
  }
  if (cruft) {
    stats.cruft_objects = leftovers.list.ids.size();
    ZPACK_ASSIGN_OR_RETURN(
        stats.cruft_names,
        packs_to_be.Write(kCruft, leftovers.list, leftovers.mtimes));
  }
  if (filtered && job.options.filter_to.empty()) {
    ZPACK_ASSIGN_OR_RETURN(
        const std::vector<std::string> names,
        packs_to_be.Write(kFilteredOut, choice.filtered_out, {}));
    stats.names.insert(stats.names.end(), names.begin(), names.end());
  }
  return {};
}

}  // namespace zpack
