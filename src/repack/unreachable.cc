// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/unreachable.h"

#include "base/error.h"
#include "object/object_links.h"

namespace zpack {

Result<Survivors> FindSurvivors(ObjectSource& source, const ObjectList& list,
                                std::optional<int64_t> expiration,
                                const ObjectAges& ages) {
  Survivors survivors{ListMarks(list.ids.size()), ListMarks(list.ids.size())};
  std::vector<ListRank> pending;
  for (const ListRank rank : list.ids.ranks()) {
    if (list.reached(rank) || ages.mtimes[rank] == ObjectAges::kNone) continue;
    if (expiration && ages.mtimes[rank] <= *expiration) continue;
    survivors.all[rank] = true;
    if (expiration) pending.push_back(rank);
  }
  Bytes content;
  std::vector<ObjectId> links;
  while (!pending.empty()) {
    const ListRank rank = pending.back();
    pending.pop_back();
    if (list.types[rank] == ObjectType::kBlob) continue;
    ZPACK_ASSIGN_OR_RETURN(const ObjectType type,
                           source.Read(list.ids[rank], content));
    links.clear();
    AppendLinks(type, content, list.ids.format(), links);
    for (const ObjectId& id : links) {
      // The needed object may not exist any more.
      const auto needed = list.ids.Find(id);
      if (!needed || list.reached(*needed)) continue;
      survivors.needed[*needed] = true;
      if (survivors.all[*needed]) continue;
      survivors.all[*needed] = true;
      pending.push_back(*needed);
    }
  }
  return survivors;
}

}  // namespace zpack
