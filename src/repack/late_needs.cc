// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/late_needs.h"

#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/object_links.h"

namespace zpack {
Result<std::optional<ObjectId>> FindNeededAgain(ObjectSource& now,
                                                const ObjectIdTable& known,
                                                const ObjectIdTable& doomed) {
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, now.ReadRefs());
  ZPACK_ASSIGN_OR_RETURN(std::vector<ObjectId> pending, now.ListOtherTips());
  pending.push_back(refs.head_target);
  for (const Ref& ref : refs.refs) pending.push_back(ref.target);
  std::set<ObjectId> seen;
  Bytes content;
  while (!pending.empty()) {
    const ObjectId id = pending.back();
    pending.pop_back();
    if (id.empty() || known.Find(id) || !seen.insert(id).second) continue;
    if (doomed.Find(id)) return id;
    const Result<ObjectType> type = now.Read(id, content);
    if (!type) {
      // Reflogs may refer to objects that no longer exist.
      if (type.error().code == ErrorCode::kNotFound) continue;
      return std::unexpected(type.error());
    }
    AppendLinks(*type, content, known.format(), pending);
  }
  return std::nullopt;
}

}  // namespace zpack
