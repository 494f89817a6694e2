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

// A whole blob of the file, without a copy where the reader has it whole.
// Errors are those of ObjectReader::Read. May be called by several threads.
Result<ContentPart> ReadBlob(const ArchiveFile& archive, ObjectReader& objects,
                             ObjectNumber blob);

class ArchiveTexts final : public BlobTexts {
 public:
  // All references must outlive this object. `trees` knows the ids of blobs
  // that are not in the file.
  ArchiveTexts(const ArchiveFile& archive, ObjectReader& objects,
               const NumberedTrees& trees)
      : archive_(archive), objects_(objects), trees_(trees) {}

  Result<uint64_t> Size(ObjectNumber blob) override;
  Result<TextPtr> Text(ObjectNumber blob) override;

 private:
  // kNotFound, with the reason, for a blob that is not in the file.
  Status CheckPresent(ObjectNumber blob) const;

  const ArchiveFile& archive_;
  ObjectReader& objects_;
  const NumberedTrees& trees_;
};

}  // namespace zpack::log
