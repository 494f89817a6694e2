// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Loose objects, read without libgit2: its reader never returns from a file
// that was cut short (libgit2 1.5), which is what a power failure leaves.

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

// The content of one loose object, front to back. Thread-compatible.
class LooseObject final : public ObjectStream {
 public:
  // Opens the file of `id` in the first of `object_directories` that has one,
  // and reads the object's header. kNotFound when none has; kSourceCorrupt,
  // naming the object, when it is damaged.
  static Result<std::unique_ptr<LooseObject>> Open(
      const std::vector<std::string>& object_directories, const ObjectId& id);

  const ObjectInfo& info() const override { return info_; }
  // REQUIRES: no more is asked for than info().size bytes in all. With the last
  // of them, checks that the file ends there.
  Status Read(std::span<uint8_t> out) override;

 private:
  LooseObject(std::unique_ptr<RandomAccessFile> file, const ObjectId& id)
      : file_(std::move(file)), id_(id), inflater_(*file_, 0, file_->size()) {}

  // As FileInflater does it, with errors that name the object.
  Result<size_t> Inflate(std::span<uint8_t> out);
  Status ReadHeader();
  Status CheckEnd();
  std::unexpected<Error> Damaged(std::string_view why) const;

  std::unique_ptr<RandomAccessFile> file_;
  ObjectId id_;
  ObjectInfo info_;
  FileInflater inflater_;
  Bytes start_;            // content that was inflated with the header
  uint64_t position_ = 0;  // bytes of content that were read
};

// The file of a loose object, whether it is there or not.
std::string LooseObjectPath(const std::string& object_directory,
                            const ObjectId& id);

// Appends the ids of all loose objects in `object_directory` to `ids`. kIo when
// a directory cannot be read.
Status ListLooseObjects(const std::string& object_directory, Bytes& ids);

}  // namespace zpack
