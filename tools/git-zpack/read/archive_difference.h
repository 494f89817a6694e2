// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What differs between two .zpack files: refs, objects, and files of the
// repository. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack::cli {

// A ref, HEAD, shallow boundary or file that differs. A side that lacks it is
// empty.
struct ChangedName {
  std::string name;  // any bytes; "shallow <id>" for a boundary
  std::string left;
  std::string right;
};

struct ArchiveDifference {
  // HEAD first, then refs by name, then shallow boundaries. A side is an id, or
  // "ref: " and the name of the target.
  std::vector<ChangedName> refs;
  // Files such as reflogs and hooks, by name. A side is the SHA-256 of the
  // content, with " executable" for a hook that can be executed.
  std::vector<ChangedName> files;
  // Ascending.
  std::vector<ObjectId> only_left;
  std::vector<ObjectId> only_right;

  bool any() const {
    return !refs.empty() || !files.empty() || !only_left.empty() ||
           !only_right.empty();
  }
};

// Compares refs, HEAD, shallow boundaries, files, and the ids of the objects.
// Contents are not read: an id stands for its content.
//
// Errors: kInvalidArgument if the object formats differ; those of
// ArchiveReader::ForEachId and Files.
Result<ArchiveDifference> CompareArchives(const ArchiveReader& left,
                                          const ArchiveReader& right);

}  // namespace zpack::cli
