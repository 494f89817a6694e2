// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that is written in any order under a temporary name.
// Thread-compatible.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/atomic_file.h"
#include "base/file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

class ImageFile {
 public:
  // Errors as AtomicFile::Create.
  static Result<ImageFile> Create(FileSystem& file_system,
                                  const std::string& path, Overwrite overwrite);

  // As AtomicFile::LimitMode.
  void LimitMode(const std::string& source) { output_.LimitMode(source); }

  // Writes `bytes` at `offset`. Bytes before `offset` that are not written yet
  // are zeros so far.
  Status Put(uint64_t offset, ByteView bytes);
  // Appends zeros up to `size`.
  Status Extend(uint64_t size);
  uint64_t size() { return output_.file().size(); }

  // The temporary file, for reading. Later writes can be read as well.
  Result<std::unique_ptr<RandomAccessFile>> Open() const;

  // Syncs the file, so that it is read from the disk from now on.
  Status Sync() { return output_.file().Sync(); }
  // Gives the file its name. Errors as AtomicFile::CommitOver. REQUIRES:
  // nothing was written since Sync.
  Status CommitOver(const std::optional<FileIdentity>& before) {
    return output_.CommitOver(before);
  }
  // The path that the file will have, after links.
  const std::string& path() const { return output_.path(); }
  const std::string& temporary_path() const { return output_.temporary_path(); }

 private:
  ImageFile(FileSystem& file_system, AtomicFile output)
      : file_system_(&file_system), output_(std::move(output)) {}

  FileSystem* file_system_;
  AtomicFile output_;
};

}  // namespace zpack
