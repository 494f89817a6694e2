// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the files of the repository to the archive.

#pragma once

#include <stop_token>
#include <vector>

#include "base/file.h"
#include "format/file_table.h"
#include "object/object_source.h"
#include "writer/container_writer.h"
#include "zpack/repository_files.h"
#include "zpack/result.h"

namespace zpack {

// The files that an archive takes along. What the references refer to must
// outlive the object.
struct FilesToWrite {
  ObjectSource& source;
  FileSystem& file_system;
  std::vector<FileGroup> left_out;  // by wish, ascending
  std::vector<ListedFile> files;    // without those of `left_out`
  // Those of the file below, ascending by name; null without a file below.
  const std::vector<RepositoryFile>* below = nullptr;
};

// Writes the chunks that hold the files, compressed at the zstd level `level`.
// Writes nothing if there are neither files nor groups left out; of files that
// the file below has, only what is different. Returns all files. Files that no
// longer exist are skipped. Holds one piece at a time. Errors: those of reading
// files and of writing; kInterrupted.
Result<std::vector<RepositoryFile>> WriteFiles(const FilesToWrite& files,
                                               int level,
                                               const std::stop_token& stop,
                                               ContainerWriter& container);

}  // namespace zpack
