// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/archive_plan.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/huge_pages.h"
#include "codec/zstd_codec.h"
#include "format/block_form.h"
#include "format/file_header.h"
#include "format/lost_chunk.h"
#include "format/object_index.h"
#include "format/promises_chunk.h"
#include "format/refs_chunk.h"
#include "inventory/lineage_grouper.h"
#include "writer/container_writer.h"
#include "zpack/version.h"

namespace zpack {
namespace {

// Objects of `reused` keep their numbers. Objects of `input` follow in its
// order.
format::FileNumbers NumberObjects(const FileIds& ids,
                                  const EncodingInput& input,
                                  const ReusableBlocks* reused) {
  format::FileNumbers file{ids, {}, {}};
  FillTable(file.numbers.raw(), ids.size());
  const IndexedVector<ListRank, WritePosition> positions =
      format::InversePermutation(input.order);
  // All three lists of ids are sorted.
  ListRank added;
  FileRank known;  // in the older archive
  for (const FileRank rank : ids.ranks()) {
    if (added < positions.end_index() && input.list.ids[added] == ids[rank]) {
      file.numbers[rank] = input.Number(positions[added++]);
    } else {
      file.numbers[rank] = reused->number(known++);
    }
  }
  file.order = format::InversePermutation(file.numbers);
  return file;
}

std::vector<std::string> Features(const std::vector<PlannedStretch>& plan,
                                  const ArchiveContents& contents,
                                  const EncodingOptions& options) {
  std::set<std::string> features;
  if (contents.reused_count() > 0) {
    const auto& reused = contents.reused->features();
    features.insert(reused.begin(), reused.end());
  }
  // Only blocks are reused.
  features.erase(std::string(format::kBackingFeature));
  features.erase(std::string(format::kPromisedFeature));
  features.erase(std::string(format::kDerivedIdsFeature));
  if (contents.backed) features.emplace(format::kBackingFeature);
  if (options.derived_ids) features.emplace(format::kDerivedIdsFeature);
  if (!contents.promises.empty()) features.emplace(format::kPromisedFeature);
  for (const PlannedStretch& stretch : plan) {
    const std::string_view feature =
        format::FindBlockForm(stretch.kind)->feature;
    if (!feature.empty()) features.emplace(feature);
    if (!stretch.sections.empty()) features.emplace(format::kGroupsFeature);
  }
  return {features.begin(), features.end()};
}

void Describe(const PlannedStretch& stretch, ByteWriter& out) {
  for (const uint64_t field :
       {uint64_t{stretch.first.value()}, uint64_t{stretch.count},
        stretch.raw_size, static_cast<uint64_t>(stretch.kind),
        stretch.segment_offset}) {
    out.Varint(field);
  }
  for (const PlannedStretch& section : stretch.sections) {
    out.Varint(section.count);
  }
}

// Hash of everything that determines the bytes of the archive. The ids stand
// for the contents of the objects.
format::Digest Fingerprint(const ArchivePlan& plan) {
  Hasher hasher(HashAlgorithm::kSha256);
  Bytes text;
  // Millions of objects are not described all at once.
  const auto hash_some = [&] {
    constexpr size_t kHashedPiece = size_t{64} << 10;
    if (text.size() < kHashedPiece) return;
    hasher.Update(text);
    text.clear();
  };
  ByteWriter out(text);
  for (const std::string_view version : {LibraryVersion(), ZstdVersion()}) {
    out.Varint(version.size());
    Append(text, AsBytes(version));
  }
  out.Varint(static_cast<uint64_t>(plan.options.level));
  out.Varint(plan.options.block_size);
  out.Varint(plan.options.same_path_candidates);
  out.Varint(plan.options.similar_candidates);
  out.Varint(plan.options.good_for_path);
  out.Varint(plan.options.good_for_all);
  out.Varint(plan.options.groups ? 1 : 0);
  out.Varint(plan.options.derived_ids ? 1 : 0);
  out.Varint(plan.options.halvings);
  out.Varint(plan.contents.reused_count());
  if (plan.contents.reused != nullptr) {
    Append(text, plan.contents.reused->fingerprint());
  }
  for (const PlannedStretch& stretch : plan.stretches) Describe(stretch, out);
  for (const auto& [rank, far] : plan.input.far) {
    out.Varint(rank.value());
    out.Varint(far.base.number.value());
  }
  const ObjectList& list = plan.contents.list;
  for (const ListRank rank : plan.input.order) {
    out.Varint(list.paths[rank].value());
    out.Varint(list.sizes[rank]);
    hash_some();
  }
  for (const ObjectNumber number : plan.numbers.numbers) {
    out.Varint(number.value());
    hash_some();
  }
  format::Encode(plan.contents.refs, text);
  const Promises& promises = plan.contents.promises;
  if (!promises.empty()) format::Encode(promises, text);
  const LostObjects& lost = plan.contents.lost;
  if (!lost.empty()) format::Encode(lost, text);
  hasher.Update(text);
  hasher.Update(plan.contents.ids.bytes());
  format::Digest digest;
  hasher.Finish(digest);
  return digest;
}

}  // namespace

Result<ArchivePlan> PlanArchive(ObjectSource& source,
                                const ArchiveContents& contents,
                                const EncodingOptions& options,
                                const RunOptions& run) {
  const ObjectList& list = contents.list;
  const BlockSizes sizes(options.block_size, options.halvings, options.groups);
  ZPACK_ASSIGN_OR_RETURN(const Lineages lineages,
                         GroupLineages(source, list, sizes.max_delta, run));
  EncodingInput input{source,
                      list,
                      ChooseFarVersions(list, contents.far, sizes),
                      {},
                      ObjectNumber(contents.ids.size() - list.ids.size())};
  const StorageInput storage{list, lineages, input.far};
  ZPACK_ASSIGN_OR_RETURN(
      const ChangedVisits turns,
      GatherTurns(source, list, lineages.takes_turns, sizes.max_delta, run));
  input.order = WriteOrder(storage, turns);
  std::vector<PlannedStretch> stretches =
      PlanStretches(storage, input.order, sizes);
  format::FileNumbers numbers =
      NumberObjects(contents.ids, input, contents.reused);
  std::vector<std::string> features = Features(stretches, contents, options);
  ArchivePlan plan{contents,
                   options,
                   std::move(input),
                   std::move(stretches),
                   std::move(numbers),
                   std::move(features),
                   {}};
  Bytes refs;
  if (contents.backed) {
    format::Encode(*contents.backed, refs);
  } else {
    format::Encode(contents.refs, refs);
  }
  plan.preamble = EncodePreamble(plan.features, Fingerprint(plan), refs);
  return plan;
}

}  // namespace zpack
