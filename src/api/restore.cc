// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/restore.h"

#include <utility>

#include "base/error.h"
#include "git/repository_sink.h"
#include "reader/pack_file.h"
#include "restore/repository_restorer.h"

namespace zpack {

Result<RestoreStats> Restore(const std::string& path,
                             const std::string& directory,
                             const RestoreOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().OpenForRead(path));
  ZPACK_ASSIGN_OR_RETURN(const auto pack,
                         PackFile::Open(std::move(file), options.read));
  ZPACK_ASSIGN_OR_RETURN(
      const auto sink,
      CreateRepository(PosixFileSystem(), directory, options.overwrite,
                       pack->header().object_format, pack->ids().size()));
  return RestorePack(*pack, options.run, *sink);
}

}  // namespace zpack
