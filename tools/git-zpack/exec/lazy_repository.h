// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A bare repository in the cache directory that Git fills from a .zpack file.
// Any thread; several processes may prepare the same repository at once.

#pragma once

#include <cstdint>
#include <string>

#include "cli.h"
#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack::cli {

enum class LazyContents : uint8_t {
  kNone,  // Git fetches the contents of files when it needs them
  kAll,   // all contents are there from the start
};

struct LazyOptions {
  LazyContents contents = LazyContents::kNone;
  Download download = Download::kNo;  // as ReadOptions::download
};

// Name, for git-remote-zpack, the repository of the command that runs, and its
// process.
inline constexpr const char* kLazyRepositoryVariable =
    "GIT_ZPACK_LAZY_REPOSITORY";
inline constexpr const char* kLazyCommandVariable = "GIT_ZPACK_LAZY_COMMAND";

// Returns the path of a repository with the refs and history of `reader`, which
// has opened `file`. Git reads what the repository lacks from `file`, through
// git-remote-zpack, which must be on the PATH. The repository is made at the
// first call, and stays in $XDG_CACHE_HOME/git-zpack/exec or
// ~/.cache/git-zpack/exec. It gets its name once it is complete. A file that
// was moved or changed gets a repository of its own.
//
// Errors: kIo if there is no cache directory or it cannot be written, or `file`
// is not there any more; kGit if
// Git fails, which has printed the reason.
Result<std::string> PrepareLazyRepository(const std::string& file,
                                          const ArchiveReader& reader,
                                          const LazyOptions& options,
                                          const Io& io);

// Called by git-remote-zpack for each fetch from `file`. If the repository of
// the environment fetches for the command that runs, and this was one fetch of
// many, puts all objects of the file into the repository, and says so. Does
// nothing otherwise, or if that fails.
void FetchAllIfMany(const std::string& file, Download download, const Io& io);

}  // namespace zpack::cli
