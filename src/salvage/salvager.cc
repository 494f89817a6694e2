// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/salvager.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/progress_phase.h"
#include "format/trailer.h"
#include "reader/decoders.h"
#include "reader/repository_file_reader.h"
#include "salvage/chunk_scan.h"
#include "salvage/fatal_error.h"
#include "salvage/history_survey.h"
#include "salvage/hole_survey.h"
#include "salvage/salvaged_blocks.h"
#include "salvage/salvaged_chain.h"
#include "salvage/salvaged_parts.h"
#include "salvage/salvaged_refs.h"
#include "salvage/salvaging.h"
#include "transfer/object_transfer.h"
#include "transfer/repository_restorer.h"

namespace zpack {
namespace {

// The objects of the file, as far as they are there.
class SalvageJob {
 public:
  SalvageJob(const RandomAccessFile& file, const SalvageOptions& options,
             const FoundParts& found, const SalvagedParts& parts)
      : file_(file),
        options_(options),
        run_(options.restore.run),
        parts_(parts),
        trailer_(found.trailer),
        blocks_(file, found, parts),
        ids_(blocks_.table(), parts.index ? &*parts.index : nullptr,
             parts.format, parts.known_ids) {
    report_.object_format = parts.format;
    report_.format_source = parts.format_source;
    report_.object_count = parts.object_count;
    report_.lost_parts = parts.lost;
    report_.lost_before = parts.lost_before.List();
    report_.damaged_ranges = found.damaged;
    report_.lost_blocks = blocks_.lost();
    report_.conflicting_blocks = blocks_.conflicts();
  }

  Result<SalvageReport> Run(const MakeSink& make_sink) {
    ZPACK_TRY(Open());
    const Salvaging salvaging{blocks_, *blocks_file_, run_, ids_,
                              report_.damages};
    ZPACK_TRY(Prove(salvaging));
    ZPACK_ASSIGN_OR_RETURN(const HistorySurvey survey,
                           SurveyHistory(salvaging));
    CountLost();
    CheckIds();
    const RefsSnapshot refs = SalvageRefs(salvaging, parts_, survey, report_);
    if (MayHaveHoles()) {
      ZPACK_TRY(SurveyHoles(salvaging, parts_, refs, survey, report_));
    }
    ZPACK_ASSIGN_OR_RETURN(const auto sink,
                           make_sink({parts_.format, ids_.proven_count(),
                                      parts_.promises.remotes}));
    ZPACK_TRY(Write(*sink));
    ZPACK_TRY(WriteFiles(*sink));
    ZPACK_ASSIGN_OR_RETURN(report_.pack_bytes, sink->Finish(refs));
    report_.complete = IsComplete();
    return std::move(report_);
  }

 private:
  Status Open() {
    uint32_t count = parts_.object_count.value_or(0);
    if (!parts_.object_count) {
      ZPACK_ASSIGN_OR_RETURN(
          count, InferObjectCount(blocks_, options_.restore.read, parts_.format,
                                  run_));
    }
    blocks_file_ =
        blocks_.Open(options_.restore.read, parts_.format, count,
                     [this](ObjectNumber number) { return ids_.Id(number); });
    run_.threads = DecodingThreads(run_, *blocks_file_);
    return {};
  }

  Status Prove(const Salvaging& salvaging) {
    const ProgressPhase phase(run_.progress, Phase::kVerifyingObjects, 0, 0);
    ZPACK_TRY(ProveSalvaged(salvaging));
    ids_.Sort();
    return {};
  }

  void CountLost() {
    const uint64_t there = ids_.proven_count();
    const uint64_t all = parts_.object_count.value_or(blocks_.number_count());
    report_.lost_objects = all - std::min(all, there);
    if (!parts_.ids) return;
    for (const FileRank rank : parts_.ids->ranks()) {
      const ObjectId id = (*parts_.ids)[rank];
      if (!ids_.Find(id)) report_.lost_ids.push_back(id);
    }
  }

  // Ids that the file left out follow from its objects. If their hash is
  // damaged, the digest in the trailer can prove that they are all.
  void CheckIds() {
    if (!IsLost("OIDH") || report_.lost_objects != 0) return;
    if (trailer_ &&
        format::ContentDigest(ids_.sorted()) == trailer_->content_digest) {
      return;
    }
    report_.damages.push_back(NewError(
        ErrorCode::kCorrupt,
        "the ids of the objects were computed and cannot be checked, because "
        "chunk 'OIDH' of '{}' is damaged",
        AtPath{file_.path()}));
  }

  bool MayHaveHoles() const {
    return !parts_.object_count || report_.lost_objects != 0;
  }

  Status Write(ObjectSink& sink) {
    TransferChoice choice;
    choice.chosen.resize(blocks_.number_count());
    for (uint32_t i = 0; i < blocks_.number_count(); ++i) {
      const ObjectNumber number(i);
      if (!ids_.IsProven(number)) continue;
      choice.chosen[number] = true;
      const size_t row = blocks_.table().FindBlock(number);
      const auto type = static_cast<size_t>(blocks_.block(row).header.type);
      ++report_.objects_by_type[type - 1];
    }
    const ProgressPhase phase(run_.progress, Phase::kWritingObjects,
                              ids_.proven_count(), 0);
    return TransferObjects(*blocks_file_, choice, run_, sink,
                           [&](uint64_t objects, uint64_t bytes) {
                             report_.objects += objects;
                             report_.raw_bytes += bytes;
                             phase.Advance(objects, bytes);
                           });
  }

  // A file is read once to prove it, and then to write it.
  Status WriteFiles(ObjectSink& sink) {
    report_.promised_objects = parts_.promises.ids.size();
    report_.promisor_remotes = parts_.promises.remotes;
    report_.files_known = FilesKnown();
    if (!parts_.files) return {};
    RepositoryFileReader reader(*parts_.files);
    const auto is_whole = [&](size_t index) -> Result<bool> {
      const Status read = reader.Read(
          index, [this](ByteView) -> Status { return CheckStop(run_.stop); });
      if (read) return true;
      if (IsFatal(read.error())) return std::unexpected(read.error());
      report_.lost_files.push_back(parts_.files->files[index].name);
      return false;
    };
    RestoreStats stats;
    ZPACK_TRY(RestoreFiles(reader, is_whole, options_.restore, sink, stats));
    report_.files = stats.files;
    report_.inactive_files = stats.inactive_files;
    report_.inactive_names = std::move(stats.inactive_names);
    report_.names_alternates = stats.names_alternates;
    return {};
  }

  bool IsLost(const char* part) const {
    return std::ranges::find(parts_.lost, part) != parts_.lost.end();
  }

  bool FilesKnown() const {
    return parts_.files ||
           (parts_.all_parts_known && !IsLost("FTAB") && !IsLost("FDAT"));
  }

  bool IsComplete() const {
    return parts_.object_count && report_.lost_objects == 0 &&
           report_.conflicting_blocks == 0 && report_.missing.empty() &&
           report_.refs_known && report_.lost_refs.empty() &&
           report_.lost_files.empty() && report_.files_known &&
           parts_.all_parts_known && !IsLost("PROM") && !IsLost("LOST");
  }

  const RandomAccessFile& file_;
  const SalvageOptions& options_;
  RunOptions run_;
  const SalvagedParts& parts_;
  std::optional<format::Trailer> trailer_;
  SalvagedBlocks blocks_;
  ProvenIds ids_;
  std::unique_ptr<FileBlocks> blocks_file_;
  SalvageReport report_;
};

}  // namespace

Result<SalvageReport> SalvageChain(const ArchiveFile& archive,
                                   const SalvageOptions& options,
                                   const MakeSink& make_sink) {
  const RestoreOptions& restore = options.restore;
  const ChainBytes bytes(archive.files());
  ZPACK_ASSIGN_OR_RETURN(const FoundParts found,
                         ScanChain(archive.files(), restore.read, restore.run));
  ZPACK_ASSIGN_OR_RETURN(const SalvagedParts parts,
                         PartsOfChain(archive, found));
  ZPACK_ASSIGN_OR_RETURN(
      SalvageReport report,
      SalvageJob(bytes, options, found, parts).Run(make_sink));
  for (DamagedRange& range : report.damaged_ranges) {
    std::tie(range.path, range.offset) = bytes.Locate(range.offset);
  }
  return report;
}

Result<SalvageReport> SalvageFile(const RandomAccessFile& file,
                                  const SalvageOptions& options,
                                  const MakeSink& make_sink) {
  const RestoreOptions& restore = options.restore;
  ZPACK_ASSIGN_OR_RETURN(const FoundParts found,
                         ScanFile(file, restore.read, restore.run));
  if (found.blocks.empty() && !found.header &&
      !found.chunks.contains(format::kRefsChunk)) {
    return MakeError(ErrorCode::kCorrupt,
                     "nothing to salvage: '{}' has no undamaged block, refs or "
                     "header",
                     AtPath{file.path()});
  }
  ZPACK_ASSIGN_OR_RETURN(const SalvagedParts parts,
                         ReadParts(file, found, options));
  return SalvageJob(file, options, found, parts).Run(make_sink);
}

}  // namespace zpack
