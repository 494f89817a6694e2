// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads loose objects without libgit2.
// libgit2 < 2.0: never returns from reading a truncated file, and a power
// failure can leave such a file.

#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "codec/file_inflater.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// The content of one loose object, read from front to end. Thread-compatible.
class LooseObject final : public ObjectStream {
 public:
  // Opens the file of `id` in the first of `object_directories` that has such a
  // file, and reads the header of the object. kNotFound if no directory has
  // such a file; kSourceCorrupt, with the id, if the header is damaged, or if
  // the file is none or may not be read; kIo.
  static Result<std::unique_ptr<LooseObject>> Open(
      const std::vector<std::string>& object_directories, const ObjectId& id);

  const ObjectInfo& info() const override { return info_; }
  // REQUIRES: all reads together ask for at most info().size bytes. The read of
  // the last byte also checks that the file ends there. kSourceCorrupt; kIo.
  Status Read(std::span<uint8_t> out) override;

 private:
  LooseObject(std::unique_ptr<RandomAccessFile> file, const ObjectId& id)
      : file_(std::move(file)), id_(id), inflater_(*file_, 0, file_->size()) {}

  // As FileInflater::Inflate, but errors name the object.
  Result<size_t> Inflate(std::span<uint8_t> out);
  Status ReadHeader();
  Status CheckEnd();
  std::unexpected<Error> Damaged(std::string_view why) const;

  std::unique_ptr<RandomAccessFile> file_;
  ObjectId id_;
  ObjectInfo info_;
  FileInflater inflater_;
  Bytes start_;            // content inflated together with the header
  uint64_t position_ = 0;  // bytes of content read so far
};

// The path of a loose object, which may not exist.
std::string LooseObjectPath(const std::string& object_directory,
                            const ObjectId& id);

// Appends the ids in `format` of all loose objects in `object_directory` to
// `ids`. kIo if a directory cannot be read.
Status ListLooseObjects(ObjectFormat format,
                        const std::string& object_directory, Bytes& ids);

// Links in place of directories of loose objects that lead nowhere, so that Git
// takes these objects for missing: sentences.
std::vector<std::string> ListNoLooseDirectories(
    const std::string& object_directory);

}  // namespace zpack
