// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the pickaxe knows of each blob after one search of them: how often a
// text occurs, or a hash of the lines that match. Immutable once searched; any
// number of threads may then use it.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"
#include "log/occurrence_counter.h"
#include "reader/archive_file.h"
#include "reader/file_blocks.h"
#include "reader/object_reader.h"
#include "zpack/line_query.h"
#include "zpack/result.h"

namespace zpack::log {

enum class KeyOf : uint8_t {
  kCount,  // of occurrences
  // A sum of hashes of the lines with an occurrence: two blobs with different
  // sums do not have the same such lines.
  kLines,
};

struct KeySearch {
  Needle needle;
  KeyOf key = KeyOf::kCount;
  // Only these, in ascending order; all if there is nothing.
  std::optional<std::span<const ObjectNumber>> blobs = std::nullopt;
  bool leaves_out_binary = false;  // a binary blob in segments has no key
  unsigned threads = 0;
  std::stop_token stop = {};
};

class BlobKeys {
 public:
  // Errors: those of SearchBlobs and OccurrenceCounter. REQUIRES: the index of
  // the file is loaded.
  static Result<BlobKeys> Search(const ArchiveFile& archive,
                                 ObjectReader& objects,
                                 const KeySearch& search);

  // 0 for a blob without an occurrence, and for what is not in the file.
  uint64_t Of(ObjectNumber blob) const {
    if (blob.value() >= has_key_.size() || !has_key_[blob.value()]) return 0;
    return keys_.at(blob);
  }
  // Whether different keys of kLines mean different lines, and 0 means none:
  // no occurrence depends on line feeds.
  bool exact() const { return exact_; }
  // As Git tells binary files; known for KeyOf::kLines.
  bool IsBinary(ObjectNumber blob) const {
    return blob.value() < binary_.size() && binary_[blob.value()] != 0;
  }

 private:
  // By lines, which deltas carry over.
  Status SearchLines(const FileBlocks& file, const KeySearch& wanted,
                     LineQuery query);
  // By whole texts: kCount if an occurrence may cross lines.
  Status SearchTexts(const ArchiveFile& archive, ObjectReader& objects,
                     const KeySearch& wanted, LineQuery query);

  std::unordered_map<ObjectNumber, uint64_t> keys_;
  std::vector<bool> has_key_;    // by object: in `keys_`, as few are
  std::vector<uint8_t> binary_;  // by object
  bool exact_ = true;
};

}  // namespace zpack::log
