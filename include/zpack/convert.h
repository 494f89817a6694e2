// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// From a Git repository to a .zpack file.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

struct ConvertStats {
  struct PerType {
    ObjectType type = ObjectType::kBlob;
    uint64_t count = 0;
    uint64_t raw_bytes = 0;     // content
    uint64_t stored_bytes = 0;  // blocks in the file, framing included
  };
  // Blocks of the older file, if the conversion began with one.
  struct Reused {
    uint64_t blocks = 0;  // copied as they are
    uint64_t bytes = 0;   // of these
    uint64_t objects = 0;
    // Others, in which only the numbers of ids outside the file changed.
    uint64_t renumbered_blocks = 0;
  };
  std::array<PerType, 4> types;   // in the order of kAllObjectTypes
  std::vector<PhaseTime> phases;  // in the order they ran
  uint64_t file_size = 0;
  uint64_t source_pack_bytes = 0;  // packs and pack indexes of the source
  uint64_t refs = 0;
  // Of the repository: an absolute path without links.
  std::string git_directory;
  Reused reused;
  // Why everything was converted although an older file was given; else empty.
  std::string base_unused;
  // The older file has objects, and not one of them is in the repository.
  bool base_unrelated = false;
  // Objects whose hash was not checked when the file was read back: all without
  // ConvertOptions::read_back, those that were copied with `trust_base`.
  uint64_t unverified_objects = 0;
  // How the source changed during the conversion, which the file does not hold.
  // Objects are not counted with ObjectSet::kReachable.
  MovedOn moved_on;
  // Alternates of the repository that do not exist. What is only in them is not
  // in the file; no ref needs it.
  std::vector<std::string> missing_alternates;
  // Blocks that an interrupted conversion had written.
  uint64_t resumed_blocks = 0;
  // Why what such a conversion left was not used; else empty.
  std::string resume_unused;

  uint64_t objects() const;
  uint64_t raw_bytes() const;
  // Everything in the file that is not a block: header, refs, index, tables.
  uint64_t index_bytes() const;
};

// Writes every object, ref, HEAD and shallow boundary of the repository at
// `repository` to the file `path`.
//
// The file appears under its name only after it was written, synced, read back
// from disk, and every object decoded and hashed to its id. It holds the
// repository as it was when its refs and objects were listed: what is added
// during the conversion is counted in `moved_on`. An object of that state which
// the repository no longer has at the end is an error.
//
// On any failure what was at `path` is untouched. The temporary file stays if
// it holds blocks that ConvertOptions::resume can continue from and
// - the conversion was interrupted, or ran out of memory,
// - an object of the source is missing or damaged, or the source is gone, or
// - the conversion was itself one with ConvertOptions::resume.
// Otherwise nothing is left behind.
//
// Errors: those of opening a repository (kNotFound, also for a path inside of
// one unless ConvertOptions::discovery says otherwise, kUnsupported, kGit, also
// when somebody else owns it), kSourceCorrupt for objects that are missing or
// damaged, kMismatch when the file read back is not what was written, kExists,
// kIo, kInterrupted, kOutOfMemory, kInvalidArgument for options out of range;
// those of opening and reading the older file, kCorrupt among them.
Result<ConvertStats> Convert(const std::string& repository,
                             const std::string& path,
                             const ConvertOptions& options);

// Whether a conversion to `path` that failed left something that one with
// ConvertOptions::resume may continue.
bool CanResume(const std::string& path);

}  // namespace zpack
