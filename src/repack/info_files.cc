// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/info_files.h"

#include "base/error.h"

namespace zpack {
namespace {

Status UpdateRefs(PackStore& store, LaterSource& now) {
  ZPACK_ASSIGN_OR_RETURN(ObjectSource* const source, now.Get());
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, source->ReadRefs());
  return store.UpdateRefList(refs);
}

}  // namespace

bool UpdatesInfoFiles(const RepackJob& job) {
  const RepackOptions& options = job.options;
  if (options.publication == Publication::kNo || !job.into_repository()) {
    return false;
  }
  return options.server_info ? *options.server_info == ServerInfo::kUpdate
                             : job.settings.update_server_info;
}

void UpdateInfoFiles(PackStore& store, LaterSource& now, RepackStats& stats) {
  if (const Status status = UpdateRefs(store, now); !status) {
    stats.warnings.push_back("unable to update info/refs: " +
                             status.error().message);
  }
  if (const Status status = store.UpdatePackList(); !status) {
    stats.warnings.push_back("unable to update objects/info/packs: " +
                             status.error().message);
  }
}

}  // namespace zpack
