// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/late_needs.h"

#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/object_links.h"

namespace zpack {
namespace {

// Appends the ids that an object names.
void AppendLinks(ObjectType type, ByteView content, ObjectFormat format,
                 std::vector<ObjectId>& out) {
  if (type == ObjectType::kCommit) {
    const CommitLinks links = ParseCommitLinks(content, format);
    out.push_back(links.tree);
    out.insert(out.end(), links.parents.begin(), links.parents.end());
  } else if (type == ObjectType::kTag) {
    out.push_back(ParseTagTarget(content, format));
  } else if (type == ObjectType::kTree) {
    TreeIterator entries(content, format);
    TreeEntry entry;
    while (entries.Next(entry)) {
      if (!entry.is_gitlink()) out.emplace_back(entry.id);
    }
  }
}

}  // namespace

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
      // Reflogs may name what is gone.
      if (type.error().code == ErrorCode::kNotFound) continue;
      return std::unexpected(type.error());
    }
    AppendLinks(*type, content, known.format(), pending);
  }
  return std::nullopt;
}

}  // namespace zpack
