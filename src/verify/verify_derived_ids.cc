// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "verify/verify_archive.h"

namespace zpack {

Status VerifyDerivedIds(const ArchiveFile& archive, VerifyReport& report) {
  const Status loaded = archive.LoadIndex();
  if (!loaded && (loaded.error().code == ErrorCode::kInterrupted ||
                  loaded.error().code == ErrorCode::kOutOfMemory)) {
    return loaded;
  }
  const std::optional<Derivation>& derivation = archive.derivation();
  if (!derivation) {
    return MakeError(ErrorCode::kInternal,
                     "the ids of the objects of '{}' were not derived",
                     AtPath{archive.path()});
  }
  report.objects_verified += derivation->objects;
  report.objects_damaged +=
      archive.files().front()->object_end() - derivation->objects;
  report.bytes_verified += derivation->bytes;
  report.damages.insert(report.damages.end(), derivation->damages.begin(),
                        derivation->damages.end());
  if (loaded) {
    CheckContentDigest(archive, report);
  } else if (derivation->damages.empty()) {
    AddUnlessKnown(loaded.error(), report);
  }
  return {};
}

}  // namespace zpack
