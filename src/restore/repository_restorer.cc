// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "restore/repository_restorer.h"

#include "base/error.h"
#include "base/progress_phase.h"
#include "reader/content_size.h"
#include "reader/peeled_refs.h"
#include "restore/object_transfer.h"

namespace zpack {

Result<RestoreStats> RestoreArchive(const ArchiveFile& archive,
                                    const RunOptions& run, ObjectSink& sink) {
  RestoreStats stats;
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
  stats.refs = archive.refs().refs.size();
  ZPACK_ASSIGN_OR_RETURN(stats.pack_bytes, sink.Finish(archive.refs()));
  return stats;
}

}  // namespace zpack
