// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/late_needs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/object_hasher.h"
#include "object/object_links.h"

namespace zpack {
namespace {

// The ids that refs and other tips name; some are empty.
Result<std::vector<ObjectId>> ReadTips(ObjectSource& now,
                                       const RefsSnapshot& refs) {
  std::vector<ObjectId> tips = {refs.head_target};
  for (const Ref& ref : refs.refs) tips.push_back(ref.target);
  ZPACK_ASSIGN_OR_RETURN(const auto others, now.ListOtherTips());
  for (const TipGroup& group : others) {
    tips.insert(tips.end(), group.ids.begin(), group.ids.end());
  }
  return tips;
}

}  // namespace

Result<LateNeeds> FindLateNeeds(ObjectSource& now, const ObjectIdTable& known,
                                const ObjectIdTable& doomed) {
  LateNeeds needs;
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, now.ReadRefs());
  ZPACK_ASSIGN_OR_RETURN(std::vector<ObjectId> pending, ReadTips(now, refs));
  const ObjectFormat format = known.format();
  // Git knows the empty tree even if it is not stored.
  std::set<ObjectId> seen = {
      ObjectHasher(format).Hash(ObjectType::kTree, ByteView())};
  Bytes content;
  while (!pending.empty()) {
    const ObjectId id = pending.back();
    pending.pop_back();
    if (id.empty() || known.Find(id) || !seen.insert(id).second) continue;
    if (doomed.Find(id)) {
      needs.doomed = id;
      return needs;
    }
    const Result<ObjectType> type = now.Read(id, content);
    if (type == ObjectType::kCommit &&
        std::ranges::binary_search(refs.shallow, id)) {
      pending.push_back(ParseCommitLinks(content, format).tree);
    } else if (type) {
      AppendLinks(*type, content, format, pending);
    } else if (type.error().code == ErrorCode::kNotFound) {
      needs.missing.insert(id);
    } else {
      return std::unexpected(type.error());
    }
  }
  return needs;
}

}  // namespace zpack
