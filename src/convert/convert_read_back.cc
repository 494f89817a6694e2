// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/convert_read_back.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/progress_phase.h"
#include "object/object_hasher.h"
#include "verify/compare_repository.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

// Each object is hashed once, on read-back. If a hash differs, this function
// finds out whether the source is corrupt or the file was damaged.
Error ExplainDamage(ObjectSource& source, const Error& damage) {
  Error mismatch = damage;
  mismatch.code = ErrorCode::kMismatch;
  mismatch.message = "the file read back is damaged: " + damage.message;
  if (damage.object.empty()) return mismatch;
  Bytes content;
  const Result<ObjectType> type = source.Read(damage.object, content);
  if (!type) return type.error();
  const ObjectId actual =
      ObjectHasher(source.object_format()).Hash(*type, content);
  if (actual == damage.object) return mismatch;
  return NewError(ErrorCode::kSourceCorrupt,
                  "object {} of '{}' is corrupt: its content hashes to {}",
                  damage.object, AtPath{source.path()}, actual);
}

// Returns whether the block that `damage` names was copied.
bool IsCopied(const ArchiveFile& archive, const CopiedBlocks& copied,
              const Error& damage) {
  for (size_t block = 0; block < copied.blocks.size(); ++block) {
    if (archive.blocks().block_offset(block) == damage.offset)
      return copied.blocks[block];
  }
  return false;
}

// A listing may miss an object that is moved into another pack meanwhile.
Status CheckIsThere(ObjectSource& source, const ObjectId& id) {
  const auto info = source.ReadInfo(id);
  if (info) return {};
  if (info.error().code != ErrorCode::kNotFound) {
    return std::unexpected(info.error());
  }
  return MakeError(ErrorCode::kSourceCorrupt,
                   "'{}' changed while it was converted: object {} vanished",
                   AtPath{source.path()}, id);
}

}  // namespace

Status ReadBackFile(ObjectSource& source, const ArchiveFile& archive,
                    const CopiedBlocks& copied, const RunOptions& run) {
  ZPACK_TRY(archive.CheckUndamaged());
  VerifyReport report;
  VerifyPlan plan{.level = VerifyLevel::kObjects, .own = copied.onto};
  if (copied.trust == TrustBase::kYes) plan.trusted = copied.blocks;
  ZPACK_TRY(VerifyArchive(archive, plan, run, report));
  const auto unread =
      std::ranges::find(report.damages, ErrorCode::kIo, &Error::code);
  if (unread != report.damages.end()) {
    return std::unexpected(*unread);
  }
  if (!report.damages.empty()) {
    // Prefer the error of an object to that of a checksum, because it says
    // more.
    const auto at = std::ranges::find_if(
        report.damages,
        [](const Error& error) { return !error.object.empty(); });
    const Error& damage =
        at == report.damages.end() ? report.damages.front() : *at;
    // Checksums come before objects: if the first damage is one of an object,
    // the bytes are those that were written.
    const bool as_written = !report.damages.front().object.empty();
    if (as_written && IsCopied(archive, copied, damage)) {
      return MakeError(ErrorCode::kCorrupt,
                       "'{}' is corrupt: its content of object {} does not "
                       "hash to that; convert without it",
                       copied.base, damage.object);
    }
    return std::unexpected(ExplainDamage(source, damage));
  }
  return {};
}

Result<MovedOn> CompareWithNow(const SourceOpener& open_source,
                               const ArchiveFile& archive,
                               const RefsSnapshot& refs,
                               ObjectIdTable enumerated,
                               const ConvertOptions& options) {
  const ProgressPhase phase(options.run.progress, Phase::kComparingObjects,
                            enumerated.size(), 0);
  if (!(archive.ids() == enumerated) || archive.refs() != refs) {
    return MakeError(
        ErrorCode::kMismatch,
        "the file read back has other objects or refs than were written");
  }
  // The same ids; those of the source take memory.
  enumerated = archive.ids();
  ZPACK_ASSIGN_OR_RETURN(const auto now, open_source(SourceUse::kCompare));
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs_now,
                         ReadRefsToCompare(*now, refs));
  std::vector<Difference> differences;
  CompareRefs(refs, refs_now, differences);
  MovedOn moved_on;
  moved_on.refs = differences.size();
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable ids, now->ListObjects());
  const std::vector<uint32_t> gone = RanksOnlyIn(enumerated, ids);
  for (const uint32_t rank : gone) {
    // Files below may have objects that the source does not have.
    if (archive.number(FileRank(rank)) < archive.first_own_object()) continue;
    ZPACK_TRY(CheckIsThere(*now, enumerated[rank]));
  }
  if (options.objects == ObjectSet::kAll) {
    moved_on.objects = ids.size() - (enumerated.size() - gone.size());
  }
  phase.Advance(enumerated.size(), 0);
  return moved_on;
}

}  // namespace zpack
