// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts a Git repository to a .zpack file. The functions may be called from
// several threads at once; options.h lists what they share in a process.

#pragma once

#include <string>

#include "zpack/convert_stats.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Writes every object, ref, HEAD and shallow boundary of the repository at
// `repository` to the file `path`.
//
// The file is written under a temporary name beside `path`, synced, read back
// from disk, and every object is decoded and hashed to its id. Then the file is
// renamed to `path` and the directory is synced. The file holds the repository
// as it was when its refs and objects were listed. `moved_on` counts what was
// added later. If the repository lacks an object of that state at the end, the
// call fails.
//
// If the call fails before the rename, whatever was at `path` is untouched.
// Two failures can follow the rename. Then the new file is at `path`:
// - The directory cannot be synced (kNotDurable). The new file is complete and
//   checked, but a crash of the machine may bring back what was at `path`
//   before.
// - Memory runs out while the statistics are collected (kOutOfMemory). The new
//   file is complete and checked.
//
// If the call fails before the rename, the temporary file stays when it holds
// blocks that Resume::kYes can continue from and
// - the conversion was interrupted, or ran out of memory, or
// - an object of the source is missing or damaged, or the source is gone, or
// - the conversion itself had Resume::kYes.
// Otherwise the temporary file is removed.
//
// Errors:
// - kNotFound: there is no repository at `repository`. This includes a path
//   inside of a repository, unless ConvertOptions::discovery is kUpwards.
// - kGit: libgit2 cannot open or read the repository, or another user owns the
//   repository and safe.directory does not list it.
// - kUnsupported: the repository is of a kind that cannot be converted, such as
//   a repository with reftable.
// - kSourceCorrupt: an object is missing or damaged.
// - kMismatch: the file that was read back differs from what was written.
// - kExists: `path` exists and ConvertOptions::overwrite is kNo, or another
//   process writes to `path`. With Update::kYes, `path` may exist unless it is
//   the file of another repository. AllowLoss::kNo, and the new file would
//   lack something that the older file has. With ConvertOptions::onto, the
//   repository has lost objects that the older file has, and refs need them;
//   without KeepGoing::kYes, that is kSourceCorrupt. Dependents::kKeep, and
//   another file depends on the destination. Another process replaced or
//   changed the destination during the call.
// - kInvalidArgument: an option is out of range, or `path` is among the
//   repository's own files or not a regular file, or two options exclude each
//   other.
// - kIo, kNotDurable, kInterrupted, kOutOfMemory.
// - kNotFound, kCorrupt, kUnsupported, kLimitExceeded: the older file
//   (ConvertOptions::base, or `path` with Update::kYes) cannot be opened or
//   read, or is damaged.
Result<ConvertStats> Convert(const std::string& repository,
                             const std::string& path,
                             const ConvertOptions& options);

// The directory of the repository that Convert reads: its work tree, or its git
// directory if it has none.
//
// Errors: kNotFound and kGit as for Convert; kIo.
Result<std::string> LocateRepository(const std::string& repository,
                                     Discovery discovery);

// True if a failed conversion to `path` left a temporary file that a conversion
// with Resume::kYes may continue. Errors count as false.
bool CanResume(const std::string& path);

// What one thread may take, in bytes, not counting the bytes for each object:
// the least RunOptions::memory that Convert can keep to. 0 if Convert refuses
// the options.
uint64_t LeastMemoryToConvert(const ConvertOptions& options);

}  // namespace zpack
