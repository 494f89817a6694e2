// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "api/convert_read_back.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/progress_phase.h"
#include "object/object_hasher.h"
#include "verify/compare_repository.h"
#include "verify/verify_pack.h"

namespace zpack {
namespace {

// Each object is hashed once, on read-back. When that fails, this tells a
// source that was corrupt all along from a file that is not what was written.
Error ExplainDamage(ObjectSource& source, const Damage& damage) {
  Error mismatch{ErrorCode::kMismatch,
                 "the file read back is damaged: " + damage.message};
  if (damage.object.empty()) return mismatch;
  Bytes content;
  const Result<ObjectType> type = source.Read(damage.object, content);
  if (!type) return type.error();
  const ObjectId actual =
      ObjectHasher(source.object_format()).Hash(*type, content);
  if (actual == damage.object) return mismatch;
  return {
      ErrorCode::kSourceCorrupt,
      FormatMessage("object {} of '{}' is corrupt: its content hashes to {}",
                    damage.object.ToHex(), source.path(), actual.ToHex())};
}

}  // namespace

Status ReadBackFile(ObjectSource& source, const PackFile& pack,
                    const std::vector<bool>& copied, const RunOptions& run) {
  VerifyReport report;
  ZPACK_TRY(VerifyChecksums(pack, run, report));
  ZPACK_TRY(VerifyObjects(pack, copied, run, report));
  // Tags are read for this, so they must be whole.
  if (report.damages.empty()) ZPACK_TRY(VerifyPeeledRefs(pack, report));
  const auto unread =
      std::ranges::find(report.damages, ErrorCode::kIo, &Damage::code);
  if (unread != report.damages.end()) {
    return MakeError(ErrorCode::kIo, "{}", MessageText{unread->message});
  }
  if (!report.damages.empty()) {
    // A damaged object says more than the digests that it spoils.
    const auto at = std::ranges::find_if(
        report.damages, [](const Damage& d) { return !d.object.empty(); });
    return std::unexpected(ExplainDamage(
        source, at == report.damages.end() ? report.damages.front() : *at));
  }
  return {};
}

Status CompareWithNow(const SourceOpener& open_source, const PackFile& pack,
                      const ObjectIdTable& enumerated,
                      const ConvertOptions& options) {
  const ProgressPhase phase(options.run.progress, "Comparing objects",
                            enumerated.size(), 0);
  if (!(pack.ids() == enumerated)) {
    return MakeError(ErrorCode::kMismatch,
                     "the file read back has other objects than were written");
  }
  ZPACK_ASSIGN_OR_RETURN(const auto now, open_source(SourceUse::kCompare));
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, now->ReadRefs());
  std::vector<Difference> differences;
  CompareRefs(pack.refs(), refs, differences);
  if (!differences.empty()) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "'{}' changed while it was converted: {}", now->path(),
                     MessageText{differences.front().message});
  }
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable ids, now->ListObjects());
  const ObjectIdDifference difference = FindDifference(pack.ids(), ids);
  const bool gained =
      options.objects == ObjectSet::kAll && !difference.only_in_b.empty();
  if (gained || !difference.only_in_a.empty()) {
    const ObjectId example = difference.only_in_a.empty()
                                 ? ids[difference.only_in_b.front()]
                                 : pack.ids()[difference.only_in_a.front()];
    return MakeError(ErrorCode::kSourceCorrupt,
                     "'{}' changed while it was converted: object {} {}",
                     now->path(), example.ToHex(),
                     difference.only_in_a.empty() ? "appeared" : "vanished");
  }
  phase.Advance(enumerated.size(), 0);
  return {};
}

}  // namespace zpack
