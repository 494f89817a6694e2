// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/filtered_objects.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "inventory/object_enumerator.h"
#include "object/id_sets.h"
#include "object/object_links.h"
#include "repack/borrowed_objects.h"

namespace zpack {
namespace {

// The objects of `list` that somebody asks for by name: tips, and what tags
// among them point to.
Result<std::set<ListRank>> FindNamed(ObjectSource& source,
                                     const ObjectList& list) {
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, source.ReadRefs());
  ZPACK_ASSIGN_OR_RETURN(const auto others, source.ListOtherTips());
  std::vector<ObjectId> pending = {refs.head_target};
  for (const Ref& ref : refs.refs) pending.push_back(ref.target);
  for (const TipGroup& group : others) {
    pending.insert(pending.end(), group.ids.begin(), group.ids.end());
  }
  std::set<ListRank> named;
  Bytes content;
  while (!pending.empty()) {
    const ObjectId id = pending.back();
    pending.pop_back();
    const auto rank = id.empty() ? std::nullopt : list.ids.Find(id);
    if (!rank || !named.insert(*rank).second) continue;
    if (list.types[*rank] != ObjectType::kTag) continue;
    ZPACK_TRY(source.Read(id, content));
    pending.push_back(ParseTagTarget(content, list.ids.format()));
  }
  return named;
}

bool Passes(const ObjectFilter& filter, ObjectType type, uint64_t size) {
  // A depth other than 0 has been refused.
  const bool in_tree = type == ObjectType::kTree || type == ObjectType::kBlob;
  return filter.Passes({type, size}) && (filter.tree_depth != 0 || !in_tree);
}

}  // namespace

Result<ObjectList> FilterObjects(const RepackJob& job, ObjectSource& source,
                                 ObjectList list) {
  ZPACK_ASSIGN_OR_RETURN(const std::set<ListRank> named,
                         FindNamed(source, list));
  return KeepWhere(std::move(list), [&](const ObjectList& all, ListRank rank) {
    return named.contains(rank) ||
           Passes(job.options.filter, all.types[rank], all.sizes[rank]);
  });
}

Result<ObjectList> ListFilteredOut(const RepackJob& job, ObjectSource& source,
                                   const PackSets& packs,
                                   const ObjectChoice& choice,
                                   RepackStats& stats) {
  const ObjectFormat format = job.store.object_format();
  std::vector<PackFiles> packed = packs.rewritten;
  std::ranges::copy_if(packs.staying, std::back_inserter(packed),
                       &PackFiles::keep);
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable old, ReadIds(job.store, packed));
  ZPACK_ASSIGN_OR_RETURN(
      const ObjectIdTable elsewhere,
      ObjectIdTable::Merge(format,
                           {choice.list.ids, choice.promised.ids, choice.kept,
                            choice.leftovers.list.ids, choice.borrowed}));
  ZPACK_ASSIGN_OR_RETURN(ObjectIdTable rest, Without(old, elsewhere));
  ZPACK_ASSIGN_OR_RETURN(const BorrowedObjects borrowed,
                         FindBorrowed(job, packs, rest));
  ZPACK_ASSIGN_OR_RETURN(rest, Without(rest, borrowed.all));
  return EnumerateListed(source, rest, rest, job.options.run, stats.unreadable);
}

}  // namespace zpack
