// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The texts of a file's blobs. Contents are not hashed. Thread-compatible.

#pragma once

#include "base/error.h"
#include "history/numbered_trees.h"
#include "log/blob_texts.h"
#include "reader/archive_file.h"
#include "reader/object_reader.h"
#include "zpack/result.h"

namespace zpack::log {

class ArchiveTexts final : public BlobTexts {
 public:
  // Both references must outlive this object. `trees` knows the ids of blobs
  // that are not in the file.
  ArchiveTexts(const ArchiveFile& archive, const NumberedTrees& trees)
      : archive_(archive), trees_(trees), objects_(archive) {}

  Result<uint64_t> Size(ObjectNumber blob) override;
  Result<TextPtr> Text(ObjectNumber blob) override;

 private:
  // kNotFound, with the reason, for a blob that is not in the file.
  Status CheckPresent(ObjectNumber blob) const;

  const ArchiveFile& archive_;
  const NumberedTrees& trees_;
  ObjectReader objects_;
};

}  // namespace zpack::log
