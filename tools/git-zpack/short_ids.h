// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Abbreviated ids, as Git abbreviates them. Thread-compatible.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "zpack/archive_reader.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::cli {

class ShortIds {
 public:
  // Ids have at least `digits` digits, and more if that many are not unique in
  // the file. 0: whole ids. Without a number, it depends on the number of
  // objects. `reader` must outlive this object.
  ShortIds(const ArchiveReader& reader, std::optional<size_t> digits);

  // Zeros for an empty id, which is none. Errors: those of
  // ArchiveReader::ResolveAbbreviation, except that the id may be missing.
  Result<std::string> Of(const ObjectId& id) const;

 private:
  const ArchiveReader& reader_;
  size_t digits_;
};

}  // namespace zpack::cli
