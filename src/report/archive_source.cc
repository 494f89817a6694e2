// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/archive_source.h"

#include "base/error.h"

namespace zpack {

Result<ObjectNumber> ArchiveSource::Find(const ObjectId& id) const {
  if (const auto rank = archive_.ids().Find(id)) return archive_.number(*rank);
  return MakeError(ErrorCode::kNotFound, "object {} is missing from '{}'", id,
                   AtPath{archive_.path()});
}

Result<ObjectInfo> ArchiveSource::ReadInfo(const ObjectId& id) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, Find(id));
  return reader_.ReadInfo(number);
}

Result<ObjectType> ArchiveSource::Read(const ObjectId& id, Bytes& content) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, Find(id));
  return reader_.Read(number, id, content, HashObject::kNo);
}

Result<std::unique_ptr<ObjectStream>> ArchiveSource::Open(const ObjectId& id) {
  return MakeError(ErrorCode::kUnsupported, "cannot stream object {} of '{}'",
                   id, AtPath{archive_.path()});
}

}  // namespace zpack
