// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects of a repository's alternates, for a repack that leaves them
// there. May be used from several threads, except while List runs.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "git/objects/object_database.h"
#include "pack/pack_store.h"
#include "zpack/result.h"

namespace zpack {

class AlternateDatabase final : public AlternateObjects {
 public:
  // Finds the alternates of the repository with these directories and objects
  // in `format`. Leaves out an alternate if it may have a link to `own`, the
  // object directory of the repository, since `own` is about to lose objects.
  // Null if no alternate is left. Errors as ListObjectDirectories. The objects
  // are opened when they are listed or read.
  static Result<std::unique_ptr<AlternateObjects>> Open(
      ObjectFormat format, FileSystem& file_system,
      const std::string& common_directory, const std::string& own);

  Result<ObjectIdTable> List() override;
  Result<std::vector<AlternatePack>> ListPacks(AlternatePacks which) override;
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override;

 private:
  AlternateDatabase(ObjectFormat format, FileSystem& file_system,
                    std::vector<std::string> directories)
      : format_(format),
        file_system_(file_system),
        directories_(std::move(directories)) {}
  // Opens the objects, unless they are open. Errors as ObjectDatabase::Open.
  Status OpenObjects();

  ObjectFormat format_;
  FileSystem& file_system_;
  std::vector<std::string> directories_;
  std::optional<ObjectDatabase> objects_;
};

}  // namespace zpack
