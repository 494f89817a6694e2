// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/same_repository.h"

#include "base/index_spaces.h"
#include "reader/block_decoder.h"

namespace zpack {

Result<CommonCommits> FindCommonCommit(
    const ArchiveFile& archive,
    const std::function<bool(const ObjectId&)>& accept) {
  CommonCommits found;
  const FileBlocks& blocks = archive.blocks();
  BlockDecoder decoder;
  // Commits are in the first blocks of a file.
  for (size_t block = 0; block < blocks.block_count(); ++block) {
    if (blocks.continues_previous(block)) continue;
    const auto view = decoder.Load(blocks, block);
    if (!view) {
      if (view.error().code == ErrorCode::kIo) {
        return std::unexpected(view.error());
      }
      continue;
    }
    if (view->header.type != ObjectType::kCommit) continue;
    found.any_commits = true;
    ObjectNumber number = blocks.first_object(block);
    for (uint32_t i = 0; i < blocks.block_object_count(block); ++i) {
      if (accept(blocks.id(number++))) {
        found.in_common = true;
        return found;
      }
    }
  }
  return found;
}

Result<bool> IsSameRepository(const ArchiveFile& a, const ArchiveFile& b) {
  ZPACK_ASSIGN_OR_RETURN(const CommonCommits found,
                         FindCommonCommit(a, [&](const ObjectId& id) {
                           return b.ids().Find(id).has_value();
                         }));
  if (!found.any_commits || found.in_common) return true;
  ZPACK_ASSIGN_OR_RETURN(
      const CommonCommits others,
      FindCommonCommit(b, [](const ObjectId&) { return true; }));
  return !others.any_commits;
}

Result<bool> IsSameRepository(const ArchiveFile& archive, ObjectSource& source,
                              const ObjectIdTable& ids) {
  ZPACK_ASSIGN_OR_RETURN(const CommonCommits found,
                         FindCommonCommit(archive, [&](const ObjectId& id) {
                           return ids.Find(id).has_value();
                         }));
  if (!found.any_commits || found.in_common) return true;
  for (uint32_t rank = 0; rank < ids.size(); ++rank) {
    const auto info = source.ReadInfo(ids[rank]);
    // An object that cannot be read is left to the comparison.
    if (info && info->type == ObjectType::kCommit) return false;
  }
  return true;
}

}  // namespace zpack
