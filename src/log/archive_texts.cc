// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/archive_texts.h"

#include <memory>
#include <utility>

namespace zpack::log {

Result<ContentPart> ReadBlob(const ArchiveFile& archive, ObjectReader& objects,
                             ObjectNumber blob) {
  const ObjectId id = archive.blocks().id(blob);
  ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info, objects.ReadInfo(blob));
  ZPACK_ASSIGN_OR_RETURN(ContentPart part,
                         objects.ReadPart(blob, id, 0, HashObject::kNo));
  if (part.bytes.size() == info.size) return part;
  Bytes whole;
  ZPACK_TRY(objects.Read(blob, id, whole, HashObject::kNo));
  const auto owner = std::make_shared<const Bytes>(std::move(whole));
  return ContentPart{0, *owner, owner};
}

Status ArchiveTexts::CheckPresent(ObjectNumber blob) const {
  if (trees_.IsInFile(blob)) return {};
  return archive_.Absent(trees_.id(blob));
}

Result<uint64_t> ArchiveTexts::Size(ObjectNumber blob) {
  ZPACK_TRY(CheckPresent(blob));
  ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info, objects_.ReadInfo(blob));
  return info.size;
}

Result<BlobTexts::TextPtr> ArchiveTexts::Text(ObjectNumber blob) {
  ZPACK_TRY(CheckPresent(blob));
  Bytes content;
  ZPACK_TRY(objects_.Read(blob, archive_.blocks().id(blob), content,
                          HashObject::kNo));
  return std::make_shared<const Bytes>(std::move(content));
}

}  // namespace zpack::log
