// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/collect_facts.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/hex.h"
#include "object/refs_listing.h"
#include "object/swhid.h"
#include "reader/block_types.h"

namespace zpack {
namespace {

void CountObjects(const FileBlocks& file, const BlockTypes& types,
                  FileFacts& facts) {
  for (size_t block = 0; block < types.size(); ++block) {
    if (file.continues_previous(block)) continue;
    const uint64_t count = file.block_object_count(block);
    switch (types[block]) {
      case ObjectType::kCommit:
        facts.commits += count;
        break;
      case ObjectType::kTree:
        facts.trees += count;
        break;
      case ObjectType::kBlob:
        facts.blobs += count;
        break;
      case ObjectType::kTag:
        facts.tags += count;
        break;
    }
  }
}

std::string RefsSha256(const RefsSnapshot& refs) {
  Hasher hasher(HashAlgorithm::kSha256);
  HashRefsListing(refs, hasher);
  std::array<uint8_t, Hasher::kMaxSize> hash;
  return ToHex(hasher.Finish(hash));
}

}  // namespace

Result<FileFacts> CollectFacts(const ArchiveFile& archive, std::string sha256,
                               const std::stop_token& stop) {
  ZPACK_ASSIGN_OR_RETURN(const BlockTypes types,
                         ReadBlockTypes(archive.blocks(), stop));
  const format::FileHeader& header = archive.header();
  const RefsSnapshot& refs = archive.refs();
  FileFacts facts;
  facts.file_bytes = archive.file().size();
  facts.sha256 = std::move(sha256);
  facts.file_hash = ToHex(archive.trailer().file_hash);
  facts.content_digest = ToHex(archive.trailer().content_digest);
  facts.format_major = header.major;
  facts.format_minor = header.minor;
  facts.required_features = header.required_features;
  facts.optional_features = header.optional_features;
  facts.object_format = header.object_format;
  CountObjects(archive.blocks(), types, facts);
  facts.promised_objects = archive.promises().ids.size();
  ZPACK_ASSIGN_OR_RETURN(const LostObjects lost, archive.lost());
  facts.lost_objects = lost.List().size();
  facts.refs = refs.refs.size();
  facts.refs_sha256 = RefsSha256(refs);
  facts.shallow_boundaries = refs.shallow.size();
  facts.head_symref = refs.head_symref;
  facts.head_target = refs.Resolve("HEAD");
  if (facts.object_format != ObjectFormat::kSha1) return facts;
  const auto type_of = [&](const ObjectId& id) -> std::optional<ObjectType> {
    const auto rank = archive.ids().Find(id);
    if (!rank) return std::nullopt;
    return types[archive.blocks().FindBlock(archive.number(*rank))];
  };
  facts.snapshot_swhid = SnapshotSwhid(refs, type_of);
  if (!facts.head_target.empty() &&
      type_of(facts.head_target) == ObjectType::kCommit) {
    facts.revision_swhid = RevisionSwhid(facts.head_target);
  }
  return facts;
}

}  // namespace zpack
