// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "api/report_damage.h"

#include "base/error.h"
#include "base/url.h"
#include "verify/verify_archive.h"

namespace zpack {

Status ReportDamage(const ArchiveFile& archive, const RestoreOptions& options) {
  DamageSink* const sink = options.read.damages;
  // A URL would be read a second time.
  if (sink == nullptr || !archive.damages().empty() || IsUrl(archive.path())) {
    return {};
  }
  VerifyReport report;
  ZPACK_TRY(VerifyChecksums(archive, {}, options.run, report));
  for (const Error& damage : report.damages) sink->OnDamage(damage);
  return {};
}

}  // namespace zpack
