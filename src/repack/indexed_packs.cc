// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/indexed_packs.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/id_sets.h"
#include "repack/bitmap_choice.h"
#include "repack/redundant_packs.h"

namespace zpack {
namespace {

bool Contains(const std::vector<std::string>& names, const PackFiles& pack) {
  return std::ranges::find(names, pack.name) != names.end();
}

// The packs that a multi-pack-index lists.
class PackLister {
 public:
  PackLister(const RepackJob& job, const PackSets& packs,
             const ObjectChoice& choice, const RepackStats& stats)
      : job_(job), packs_(packs), choice_(choice), stats_(stats) {}

  std::vector<PackFiles> List(const std::vector<PackFiles>& staying) const {
    std::vector<PackFiles> listed;
    for (const PackFiles& pack : staying) {
      if (!IsCruft(pack) && IsListed(pack)) listed.push_back(pack);
    }
    if (!ListsCruft(listed)) return listed;
    std::ranges::copy_if(staying, std::back_inserter(listed),
                         [&](const PackFiles& pack) { return IsCruft(pack); });
    return listed;
  }

  // Without packs that have damaged copies of objects: Git reads no other copy
  // that a listed pack has.
  std::vector<PackFiles> WithoutDamaged(std::vector<PackFiles> listed) const {
    RemoveNamed(choice_.damaged_packs, listed);
    return listed;
  }

  // Otherwise Git prefers the oldest pack, which may be a cruft pack. A pack
  // with damaged copies would hide the sound ones.
  std::string Preferred() const {
    for (const GeometricPack& pack :
         packs_.usual.left() | std::views::reverse) {
      if (pack.own && !Contains(choice_.damaged_packs, pack.files)) {
        return pack.files.name;
      }
    }
    return stats_.names.empty() ? "" : std::ranges::min(stats_.names);
  }

  // True if a listed pack with damaged copies may hide sound ones. The
  // preferred pack hides all others.
  Result<bool> MayHideSoundCopies() const {
    if (choice_.damaged_copies.size() == 0) return false;
    const std::string preferred = Preferred();
    if (preferred.empty()) return true;
    ZPACK_ASSIGN_OR_RETURN(const PackIds ids, job_.store.ReadIds(preferred));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable hidden,
                           Without(choice_.damaged_copies, ids));
    return hidden.size() != 0;
  }

 private:
  // True for an old cruft pack that is not kept.
  bool IsCruft(const PackFiles& pack) const {
    return pack.cruft && !Has(packs_.kept, pack) &&
           !Contains(stats_.cruft_names, pack);
  }
  static bool Has(const std::vector<PackFiles>& set, const PackFiles& pack) {
    return std::ranges::find(set, pack) != set.end();
  }
  // A geometric repack leaves promisor packs to themselves, and what it has
  // rolled up is listed in the new pack.
  bool IsListed(const PackFiles& pack) const {
    return job_.options.geometric == 0 || pack.keep || Has(packs_.kept, pack) ||
           Contains(stats_.names, pack);
  }
  // As with repack.midxMustContainCruft; if it is false, only where a bitmap
  // may need them.
  bool ListsCruft(const std::vector<PackFiles>& listed) const {
    if (job_.settings.multi_pack_index_with_cruft) return true;
    const auto before = job_.store.ReadMultiPackIndex();
    if (!before) return stats_.names.empty();
    return std::ranges::any_of(*before, [&](const std::string& name) {
      return std::ranges::find(listed, name, &PackFiles::name) ==
                 listed.end() &&
             std::ranges::none_of(packs_.usual.rolled_up(),
                                  [&](const GeometricPack& pack) {
                                    return pack.files.name == name;
                                  });
    });
  }

  const RepackJob& job_;
  const PackSets& packs_;
  const ObjectChoice& choice_;
  const RepackStats& stats_;
};

Result<std::vector<PackFiles>> ListStaying(const RepackJob& job,
                                           const PackSets& packs,
                                           const RepackStats& stats) {
  ZPACK_ASSIGN_OR_RETURN(std::vector<PackFiles> staying, job.store.ListPacks());
  if (job.options.redundant == Redundant::kRemove) {
    const std::vector<PackFiles> redundant = FindRedundant(packs, stats);
    std::erase_if(staying, [&](const PackFiles& pack) {
      return std::ranges::find(redundant, pack) != redundant.end();
    });
  }
  return staying;
}

// Returns whether the caller has written an index with a bitmap. A bitmap may
// need the rest of a pack with damaged copies. If that pack may hide sound
// copies, there is rather none, and a warning.
Result<bool> WriteWithBitmap(const RepackJob& job, const PackLister& lister,
                             const std::vector<PackFiles>& listed,
                             RepackStats& stats) {
  ZPACK_ASSIGN_OR_RETURN(const bool hides, lister.MayHideSoundCopies());
  MultiPackIndexRequest request{
      job.settings.common_directory, {}, lister.Preferred()};
  for (const PackFiles& pack : hides ? lister.WithoutDamaged(listed) : listed) {
    request.packs.push_back(pack.name);
  }
  const std::set<std::string> before = job.store.ListUnfinishedIndex();
  const Status written = job.options.write_multi_pack_index(request);
  if (written) return true;
  // A lock that a killed Git left would stop this repack and all later ones.
  job.store.RemoveUnfinishedIndex(before);
  if ((job.options.bitmap == Bitmap::kYes && !hides) ||
      written.error().code == ErrorCode::kInterrupted) {
    return std::unexpected(written.error());
  }
  stats.warnings.push_back(written.error().message);
  return false;
}

}  // namespace

Status IndexStayingPacks(const RepackJob& job, const PackSets& packs,
                         const ObjectChoice& choice, RepackStats& stats) {
  ZPACK_ASSIGN_OR_RETURN(const std::vector<PackFiles> staying,
                         ListStaying(job, packs, stats));
  stats.packs = staying.size();
  if (job.options.borrowed == Borrowed::kLeave) {
    ZPACK_ASSIGN_OR_RETURN(const auto alternates, job.store.OpenAlternates());
    stats.leaves_to_alternates = alternates != nullptr;
  }
  stats.wants_bitmap = WantsBitmap(job, stats, choice);
  const PackLister lister(job, packs, choice, stats);
  const std::vector<PackFiles> listed = lister.List(staying);
  if (stats.wants_bitmap && job.options.write_multi_pack_index) {
    ZPACK_ASSIGN_OR_RETURN(const bool written,
                           WriteWithBitmap(job, lister, listed, stats));
    if (written) return {};
  }
  if (job.options.multi_pack_index == MultiPackIndex::kLeave) return {};
  ZPACK_ASSIGN_OR_RETURN(
      const std::vector<std::string> unreadable,
      job.store.WriteMultiPackIndex(lister.WithoutDamaged(listed),
                                    lister.Preferred()));
  for (const std::string& name : unreadable) {
    stats.warnings.push_back(
        FormatMessage("the multi-pack-index does not list '{}', whose index "
                      "cannot be read",
                      name));
  }
  return {};
}

}  // namespace zpack
