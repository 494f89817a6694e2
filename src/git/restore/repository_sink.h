// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a new bare repository with one pack.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "object/object_sink.h"
#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/promisor_remote.h"
#include "zpack/result.h"

namespace zpack {

struct NewRepository {
  ObjectFormat object_format = ObjectFormat::kSha1;
  RefStorage ref_storage = RefStorage::kFiles;
  uint32_t object_count = 0;
  // If there are any, the repository is a partial clone of these remotes.
  std::vector<PromisorRemote> promisor_remotes = {};
  // Names of the objects of Git LFS that it will have, ascending. It does not
  // replace a repository that has others.
  std::vector<std::string> lfs_objects = {};
};

// Creates a bare repository in a private directory (RestorePlace). Finish
// publishes it as `directory`. If refs are stored as reftables, Finish turns
// files of reflogs, and of HEADs of linked worktrees, into records of tables,
// and also returns the errors of WriteRestoredReftable.
//
// Errors: kUnsupported if an existing repository cannot be replaced in one
// step; other errors as RestorePlace::Take.
Result<std::unique_ptr<ObjectSink>> CreateRepository(
    FileSystem& file_system, const std::string& directory, Overwrite overwrite,
    const NewRepository& repository);

}  // namespace zpack
