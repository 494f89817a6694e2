// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/listed_objects.h"

#include "base/error.h"

namespace zpack {
namespace {

Status CheckInfo(ObjectSource& source, const ObjectList& list, ListRank rank,
                 const ObjectInfo& info) {
  if (info == ObjectInfo{list.types[rank], list.sizes[rank]}) return {};
  return MakeError(ErrorCode::kSourceCorrupt,
                   "object {} of '{}' changed while it was read",
                   list.ids[rank], AtPath{source.path()});
}

}  // namespace

Status ReadListed(ObjectSource& source, const ObjectList& list, ListRank rank,
                  Bytes& content) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectType type,
                         source.Read(list.ids[rank], content));
  return CheckInfo(source, list, rank, {type, content.size()});
}

Result<std::unique_ptr<ObjectStream>> OpenListed(ObjectSource& source,
                                                 const ObjectList& list,
                                                 ListRank rank) {
  ZPACK_ASSIGN_OR_RETURN(auto stream, source.Open(list.ids[rank]));
  ZPACK_TRY(CheckInfo(source, list, rank, stream->info()));
  return stream;
}

}  // namespace zpack
