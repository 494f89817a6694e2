// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/verify_archive.h"

#include "base/error.h"
#include "format/constants.h"
#include "reader/peeled_refs.h"

namespace zpack {

Status VerifyPeeledRefs(const ArchiveFile& archive, const std::stop_token& stop,
                        VerifyReport& report) {
  ZPACK_ASSIGN_OR_RETURN(const auto mismatches,
                         FindPeeledMismatches(archive, stop));
  const uint64_t offset = archive.toc().Find(format::kRefsChunk)->offset;
  for (const PeeledMismatch& ref : mismatches) {
    report.damages.push_back(
        NewError(ErrorCode::kCorrupt,
                 "peeled value of ref '{}' is {}, not {}, at offset {} of '{}'",
                 ref.ref, ref.actual.empty() ? "none" : ref.actual.ToHex(),
                 ref.stated.empty() ? "none" : ref.stated.ToHex(),
                 AtOffset{offset}, AtPath{archive.path()}));
  }
  return {};
}

Status VerifyArchive(const ArchiveFile& archive, VerifyLevel level,
                     const RunOptions& run, VerifyReport& report) {
  report.level = level;
  report.objects = archive.ids().size();
  report.promised_objects = archive.promises().ids.size();
  report.damages = archive.damages();
  if (level >= VerifyLevel::kChecksums) {
    ZPACK_TRY(VerifyChecksums(archive, run, report));
  }
  if (level >= VerifyLevel::kObjects) {
    ZPACK_TRY(VerifyObjects(archive.blocks(), {}, run, report));
    // Peeled refs are checked by reading tags, which requires undamaged
    // objects.
    if (report.damages.empty())
      ZPACK_TRY(VerifyPeeledRefs(archive, run.stop, report));
    ZPACK_TRY(VerifyFiles(archive, run.stop, report));
  }
  // Links of damaged objects cannot be followed.
  if (level >= VerifyLevel::kConnectivity && report.damages.empty()) {
    ZPACK_TRY(VerifyConnectivity(archive, run, report));
  }
  return {};
}

}  // namespace zpack
