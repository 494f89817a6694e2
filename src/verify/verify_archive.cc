// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/verify_archive.h"

#include <algorithm>

#include "base/error.h"
#include "format/constants.h"
#include "reader/peeled_refs.h"
#include "verify/block_scope.h"

namespace zpack {

void AddUnlessKnown(const Error& damage, VerifyReport& report) {
  if (std::ranges::find(report.damages, damage.message, &Error::message) ==
      report.damages.end()) {
    report.damages.push_back(damage);
  }
}

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

namespace {

// The list of lost objects is no part of the structure. If its chunk is
// damaged, a higher level has said so already.
void CheckLost(const ArchiveFile& archive, VerifyReport& report) {
  const Result<LostObjects>& lost = archive.lost();
  if (lost) {
    report.lost_objects = lost->List();
  } else {
    AddUnlessKnown(lost.error(), report);
  }
}

void SetScope(const FileBlocks& file, const LeftOutBlocks& left_out,
              VerifyReport& report) {
  report.scope.emplace();
  report.scope->blocks = file.block_count();
  report.scope->blocks_checked =
      file.block_count() -
      static_cast<uint64_t>(std::ranges::count(left_out, true));
  report.scope->objects_left_out = CountObjects(file, left_out);
}

// The objects that are not left out. Ids that are derived are those of all
// objects.
Status VerifyAllObjects(const ArchiveFile& archive, bool own,
                        const LeftOutBlocks& left_out, const RunOptions& run,
                        VerifyReport& report) {
  if (own) {
    const Status loaded = archive.LoadIndex();
    if (!loaded && loaded.error().code != ErrorCode::kCorrupt) return loaded;
    if (loaded) return VerifyObjects(archive.blocks(), left_out, run, report);
    AddUnlessKnown(loaded.error(), report);
    return {};
  }
  const bool is_given = archive.index_loaded() && !archive.derivation();
  if (archive.derives_ids() && !is_given) {
    ZPACK_TRY(VerifyDerivedIds(archive, report));
    if (archive.files().size() == 1 || !archive.index_loaded()) return {};
    // Only the first file can leave its ids out.
    LeftOutBlocks verified = left_out;
    verified.resize(archive.blocks().block_count());
    const size_t first =
        archive.files().front()->structure().blocks.block_count();
    std::fill_n(verified.begin(), first, true);
    return VerifyObjects(archive.blocks(), verified, run, report);
  }
  return VerifyObjects(archive.blocks(), left_out, run, report);
}

// Everything but the blocks, and some of the blocks.
Status VerifySample(const ArchiveFile& archive, const VerifyPlan& plan,
                    const RunOptions& run, VerifyReport& report) {
  LeftOutBlocks left_out =
      LeaveOutAllBut(archive.blocks(), *plan.sample, plan.seed);
  if (plan.level >= VerifyLevel::kObjects && archive.derives_ids()) {
    left_out.assign(left_out.size(), false);
  }
  SetScope(archive.blocks(), left_out, report);
  report.scope->seed = plan.seed;
  ZPACK_TRY(VerifyChecksums(archive, {left_out, false}, run, report));
  CheckLost(archive, report);
  if (plan.level == VerifyLevel::kChecksums) return {};
  ZPACK_TRY(VerifyAllObjects(archive, false, left_out, run, report));
  return VerifyFiles(archive, run.stop, report);
}

}  // namespace

Status VerifyArchive(const ArchiveFile& archive, const VerifyPlan& plan,
                     const RunOptions& run, VerifyReport& report) {
  const VerifyLevel level = plan.level;
  report.level = level;
  report.objects = archive.object_count();
  report.promised_objects = archive.promises().ids.size();
  report.damages = archive.damages();
  if (plan.sample) return VerifySample(archive, plan, run, report);
  LeftOutBlocks left_out = plan.trusted;
  if (plan.own) {
    left_out.resize(archive.blocks().block_count());
    std::fill_n(left_out.begin(), archive.first_own_block(), true);
    SetScope(archive.blocks(), left_out, report);
  }
  if (level >= VerifyLevel::kChecksums) {
    ZPACK_TRY(
        VerifyChecksums(archive, {{}, plan.own}, run, report, plan.whole_file));
  }
  CheckLost(archive, report);
  if (level >= VerifyLevel::kObjects) {
    if (plan.older != nullptr) {
      // A block whose checksum is wrong may be as wrong in the older file.
      // Ids that are derived are those of all objects.
      left_out.assign(archive.blocks().block_count(), false);
      if (report.damages.empty() && !archive.derives_ids()) {
        ZPACK_ASSIGN_OR_RETURN(left_out,
                               LeaveOutUnchanged(archive, *plan.older, run));
      }
      SetScope(archive.blocks(), left_out, report);
    }
    ZPACK_TRY(VerifyAllObjects(archive, plan.own, left_out, run, report));
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
