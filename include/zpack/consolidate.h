// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes one file of several that depend on each other, or writes a file again
// with another profile. Needs neither a repository nor Git. The function may be
// called from several threads at once; options.h lists what they share in a
// process.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zpack/options.h"
#include "zpack/progress.h"
#include "zpack/result.h"

namespace zpack {

struct ConsolidateOptions {
  RunOptions run;
  ReadOptions read;
  // Encodes every object again. Otherwise, blocks are copied.
  std::optional<Profile> profile;
  // The first file that is joined, counted from 1 in the order of dependence.
  // The new file depends on the one before it.
  uint32_t from = 1;
  // Chooses `from`: joins as few of the newest files as leave each file at
  // least this many times as large as all newer ones together, as 'git repack
  // --geometric' does with packs. At least 2; `from` must not be set.
  std::optional<uint32_t> geometric;
  // kYes replaces an existing file, atomically. It may be the newest one of the
  // files, but no other.
  Overwrite overwrite = Overwrite::kNo;
  // Files that depend on the newest file accept the new one in its place,
  // unless there is a profile.
  Dependents dependents = Dependents::kKeep;
  // kNo does not decode and hash the objects of the finished file.
  ReadBack read_back = ReadBack::kYes;
};

struct ConsolidateStats {
  uint64_t files = 0;             // that were joined; 0 if nothing was written
  uint64_t files_below = 0;       // on which the new file depends
  uint64_t objects = 0;           // in the new file
  uint64_t bytes_before = 0;      // of the files that were joined
  uint64_t bytes = 0;             // of the new file
  std::vector<PhaseTime> phases;  // in the order they ran
};

// Writes what the file at `path` and the files that it depends on hold to the
// file `output`: the same objects, refs and files. The files are not changed.
// Before the new file gets its name, every object in it is decoded and hashed.
//
// With ConsolidateOptions::geometric, nothing is written if there is nothing to
// join.
//
// Errors: those of ArchiveReader::Open; kInvalidArgument for options that do
// not fit the files; kExists; kMismatch if the file that was read back differs
// from what was written; kCorrupt if one of the files is damaged; kIo,
// kNotDurable, kInterrupted, kOutOfMemory.
Result<ConsolidateStats> Consolidate(const std::string& path,
                                     const std::string& output,
                                     const ConsolidateOptions& options);

}  // namespace zpack
