// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/resolve_name.h"

#include <fmt/format.h>

#include <ostream>

#include "read/unapplied_grafts.h"
#include "zpack/quote.h"

namespace zpack::cli {

void WarnIfAmbiguous(const ArchiveReader& reader, std::string_view name,
                     std::ostream& err) {
  const std::string_view ref = reader.AmbiguousRef(name);
  if (ref.empty()) return;
  err << fmt::format("warning: refname '{}' is ambiguous.\n", QuoteName(ref));
}

Result<ObjectId> ResolveName(const ArchiveReader& reader,
                             const std::string& name, std::ostream& err) {
  WarnIfAmbiguous(reader, name, err);
  WarnOfGrafts(reader, std::span(&name, 1), err);
  auto id = reader.Resolve(name);
  if (id || id.error().code != ErrorCode::kNotFound || name.empty() ||
      name.contains(':')) {
    return id;
  }
  const std::string path = "HEAD:" + name;
  if (reader.Resolve(path)) {
    id.error().message +=
        fmt::format("; did you mean '{}'?", QuoteName(path, kMaxNameInMessage));
  }
  return id;
}

}  // namespace zpack::cli
