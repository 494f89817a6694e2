// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "transfer/repository_restorer.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/progress_phase.h"
#include "object/listed_files.h"
#include "reader/content_size.h"
#include "reader/peeled_refs.h"
#include "reader/repository_file_reader.h"
#include "transfer/object_transfer.h"

namespace zpack {
namespace {

bool IsActive(const RepositoryFile& file, Trust trust) {
  const Restoration restoration = RestorationOf(file.group);
  return restoration == Restoration::kAlways ||
         (restoration == Restoration::kTrusted && trust == Trust::kYes);
}

}  // namespace

Status RestoreFiles(RepositoryFileReader& reader, const FileChoice& wants,
                    const RestoreOptions& options, ObjectSink& sink,
                    RestoreStats& stats) {
  const auto& without = options.without_files;
  const auto& files = reader.table().files;
  for (size_t i = 0; i < files.size(); ++i) {
    const RepositoryFile& file = files[i];
    if (std::ranges::find(without, file.group) != without.end()) continue;
    ZPACK_ASSIGN_OR_RETURN(const bool wanted, wants(i));
    if (!wanted) continue;
    const bool active = IsActive(file, options.trust);
    const std::string place = active ? file.name : InactiveName(file.name);
    ZPACK_TRY(sink.BeginFile(place, file.executable));
    const Status read = reader.Read(i, [&](ByteView piece) -> Status {
      ZPACK_TRY(CheckStop(options.run.stop));
      return sink.AppendToFile(piece);
    });
    ZPACK_TRY(read);
    ZPACK_TRY(sink.EndFile());
    ++stats.files;
    if (file.group == FileGroup::kAlternates) {
      stats.names_alternates = true;
    } else if (!active) {
      ++stats.inactive_files;
      stats.inactive_names.push_back(place);
    }
  }
  return {};
}

Result<RestoreStats> RestoreArchive(const ArchiveFile& archive,
                                    const RestoreOptions& options,
                                    ObjectSink& sink) {
  const RunOptions& run = options.run;
  RestoreStats stats;
  stats.promised_objects = archive.promises().ids.size();
  stats.promisor_remotes = archive.promises().remotes;
  ZPACK_ASSIGN_OR_RETURN(const LostObjects lost, archive.lost());
  stats.lost_objects = lost.List();
  {
    const ProgressPhase phase(run.progress, Phase::kWritingObjects,
                              archive.ids().size(),
                              ContentSize(archive.blocks(), {}, run));
    ZPACK_TRY(TransferObjects(archive, nullptr, run, sink,
                              [&](uint64_t objects, uint64_t bytes) {
                                stats.objects += objects;
                                stats.raw_bytes += bytes;
                                phase.Advance(objects, bytes);
                              }));
  }
  // Git would trust a wrong peeled value.
  ZPACK_ASSIGN_OR_RETURN(const auto wrong,
                         FindPeeledMismatches(archive, run.stop));
  if (!wrong.empty()) {
    return MakeError(ErrorCode::kCorrupt,
                     "peeled value of ref '{}' is wrong in '{}'",
                     wrong.front().ref, AtPath{archive.path()});
  }
  ZPACK_ASSIGN_OR_RETURN(const RepositoryFiles table, ReadFileTable(archive));
  RepositoryFileReader reader(table);
  ZPACK_TRY(RestoreFiles(
      reader, [](size_t) -> Result<bool> { return true; }, options, sink,
      stats));
  stats.refs = archive.refs().refs.size();
  ZPACK_ASSIGN_OR_RETURN(stats.pack_bytes, sink.Finish(archive.refs()));
  return stats;
}

}  // namespace zpack
