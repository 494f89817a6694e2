// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The notes of commits, from refs/notes/commits (git-notes(1)).
// Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "zpack/archive_reader.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::cli {

class CommitNotes {
 public:
  enum class Form : uint8_t {
    kPlain,    // the lines of the note
    kHeading,  // indented, below a heading
  };

  // `reader` must outlive this object. Errors: those of ArchiveReader::Read.
  static Result<CommitNotes> Of(const ArchiveReader& reader);

  // Empty for a commit without a note. Errors: those of ArchiveReader::Read.
  Result<std::string> TextOf(const ObjectId& commit, Form form) const;

 private:
  explicit CommitNotes(const ArchiveReader& reader) : reader_(&reader) {}

  const ArchiveReader* reader_;
  std::unordered_map<ObjectId, ObjectId> notes_;
};

}  // namespace zpack::cli
