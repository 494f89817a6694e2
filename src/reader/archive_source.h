// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects, refs and files of a .zpack file as an ObjectSource. May be used
// from several threads.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "object/object_source.h"
#include "reader/archive_file.h"
#include "reader/object_reader.h"
#include "reader/repository_file_reader.h"

namespace zpack {

class ArchiveSource final : public ObjectSource {
 public:
  // REQUIRES: the index is loaded. `archive` must outlive this object.
  explicit ArchiveSource(const ArchiveFile& archive)
      : archive_(archive), reader_(archive) {}

  const std::string& path() const override { return archive_.path(); }
  ObjectFormat object_format() const override {
    return archive_.header().object_format;
  }
  Result<ObjectIdTable> ListObjects() override {
    return archive_.ids().unranked();
  }
  Result<ObjectInfo> ReadInfo(const ObjectId& id) override;
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) override;
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override;
  Result<RefsSnapshot> ReadRefs() override { return archive_.refs(); }
  // None: the reflogs are in the file, but not parsed.
  Result<std::vector<TipGroup>> ListOtherTips() override {
    return std::vector<TipGroup>();
  }
  Result<ListedFiles> ListFiles(std::span<const std::string> others) override;
  Result<std::unique_ptr<FileStream>> OpenFile(const ListedFile& file) override;
  uint64_t PackedBytes() override { return 0; }
  bool IsPartialClone() override { return archive_.has_promises(); }

 private:
  Result<ObjectNumber> Find(const ObjectId& id) const;

  const ArchiveFile& archive_;
  ObjectReader reader_;
  Result<RepositoryFiles> files_ = ReadFileTable(archive_);
};

}  // namespace zpack
