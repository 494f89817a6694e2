// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Restores a Git repository from a .zpack file. Several threads may call
// Restore at once; options.h lists what the calls share in a process.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zpack/lost_object.h"
#include "zpack/options.h"
#include "zpack/promisor_remote.h"
#include "zpack/result.h"

namespace zpack {

struct RestoreStats {
  uint64_t objects = 0;
  uint64_t raw_bytes = 0;   // object content
  uint64_t pack_bytes = 0;  // the pack and its index
  uint64_t refs = 0;
  // Objects that the file of a partial clone lacks, and who has them. Both are
  // zero or empty if the file is complete.
  uint64_t promised_objects = 0;
  std::vector<PromisorRemote> promisor_remotes;
  // Objects that the repository had lost when the file was made. The restored
  // repository lacks them, too.
  std::vector<ListedLoss> lost_objects;
  uint64_t files = 0;           // RepositoryFiles
  uint64_t inactive_files = 0;  // of these, for want of RestoreOptions::trust
  std::vector<std::string> inactive_names;  // their names, as restored
  bool names_alternates = false;  // there is an inactive list of alternates
  std::vector<PhaseTime> phases;  // in the order they ran
};

// Makes a bare repository at `directory` with every object, ref, HEAD, shallow
// boundary and RepositoryFile of the file at `path`. Every object is hashed to
// its id. The repository is written under a temporary name, synced, and then
// renamed to `directory`. If `directory` is an empty directory, that directory
// stays, and the parts of the repository are moved into it, HEAD last.
//
// If the call fails before the repository gets its name, whatever was at
// `directory` is untouched, and nothing is left behind except new parent
// directories of `directory`. After that, three steps may still fail: to sync
// the directory (kNotDurable); with Overwrite::kYes, to remove the old
// repository; with ReadOptions::damages, to read the file once more (kIo,
// kInterrupted). If one of these fails, the call returns the error, and the
// restored repository is complete at `directory`.
//
// The file of a partial clone becomes a partial clone: its configuration names
// the promisor remotes, and all of its objects count as objects of theirs.
//
// Errors:
// - kExists: `directory` exists and is not an empty directory. With
//   Overwrite::kYes: `directory` is not a bare repository, or has linked
//   worktrees, objects of Git LFS that are not restored, or other files that
//   are not Git's. Also: another process restores to `directory`.
// - kUnsupported: the file is not a .zpack file or has a newer format. With
//   Overwrite::kYes: the file system cannot exchange two directories.
// - kInvalidArgument: the file at `path` is inside of `directory`.
// - kNotFound: there is no file at `path`.
// - kCorrupt: the file is damaged. The error names the object, if an object is
//   damaged, and the offset.
// - kLimitExceeded, kIo, kNotDurable, kInterrupted, kOutOfMemory.
Result<RestoreStats> Restore(const std::string& path,
                             const std::string& directory,
                             const RestoreOptions& options);

// Returns whether `directory` is a directory that is empty, except for files
// that a killed Restore to '<directory>/<name>' left. A new Restore to that
// path removes them; if the old one still runs, the new one returns kExists.
// Errors: kIo if the directory cannot be read; kOutOfMemory.
Result<bool> IsEmptyForRestore(const std::string& directory,
                               const std::string& name);

}  // namespace zpack
