// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a conversion did. Plain values; thread-compatible.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zpack/lost_object.h"
#include "zpack/object_id.h"
#include "zpack/progress.h"
#include "zpack/refs.h"

namespace zpack {

// What a conversion with Update::kYes did to its destination. kUpdated also
// stands for a destination whose blocks could not be used
// (ConvertStats::base_unused).
enum class UpdateResult : uint8_t { kCreated, kUpdated, kUnchanged };

struct ConvertStats {
  struct PerType {
    ObjectType type = ObjectType::kBlob;
    uint64_t count = 0;
    uint64_t raw_bytes = 0;     // object content
    uint64_t stored_bytes = 0;  // blocks in the file, framing included
  };
  // What was taken from the older file (ConvertOptions::base).
  struct Reused {
    uint64_t blocks = 0;   // copied byte for byte
    uint64_t bytes = 0;    // of the copied blocks
    uint64_t objects = 0;  // in the copied blocks
    // Blocks in which only the numbers changed that stand for objects outside
    // the file. `blocks` does not count these blocks.
    uint64_t renumbered_blocks = 0;
    // With Update::kYes, bytes of the older file's blocks that this conversion
    // would make at least 1 % smaller because its compression level is higher.
    // An estimate from kSamples places in the file.
    uint64_t weaker_bytes = 0;
    static constexpr size_t kSamples = 16;
  };
  // What was encoded.
  struct Added {
    uint64_t objects = 0;
    uint64_t bytes = 0;  // of their blocks
  };
  // What the older file has that the new file lacks.
  struct Lost {
    uint64_t refs = 0;         // by name
    uint64_t objects = 0;      // of Git
    uint64_t lfs_objects = 0;  // of Git LFS
    bool any() const { return refs + objects + lfs_objects != 0; }
  };
  std::array<PerType, 4> types;   // in the order of kAllObjectTypes
  std::vector<PhaseTime> phases;  // in the order they ran
  uint64_t file_size = 0;
  uint64_t source_pack_bytes = 0;  // packs of the source and their indexes
  uint64_t refs = 0;
  // Objects that a partial clone lacks and the file lists as promised.
  uint64_t promised_objects = 0;
  // With KeepGoing::kYes: what the repository has lost, in the order of ids.
  std::vector<SourceLoss> lost_objects;
  // With KeepGoing::kYes: files of the repository that are damaged and were
  // skipped, such as an index, and what helps; for people.
  std::vector<std::string> damaged_files;
  uint64_t files = 0;       // of the repository, that are in the file
  uint64_t file_bytes = 0;  // their contents
  // What the repository has besides and the file does not hold; for people.
  std::vector<std::string> left_out;
  // The git directory of the repository: an absolute path without links.
  std::string git_directory;
  Reused reused;
  Added added;
  // Nothing without Update::kYes.
  std::optional<UpdateResult> update;
  // Why no block of the older file was used. Empty if the older file was used,
  // or if none was given.
  std::string base_unused;
  // Nothing without an older file.
  Lost lost;
  // With Update::kYes: true if the destination had parity (zpack/parity.h),
  // which the new file lacks.
  bool drops_parity = false;
  // True if the older file is that of another repository: both have commits,
  // and none in common.
  bool base_unrelated = false;
  // Objects whose hash was not checked when the file was read back: all objects
  // with ReadBack::kNo, the objects of copied blocks with TrustBase::kYes.
  uint64_t unverified_objects = 0;
  // Objects whose content was read from the repository and hashed: those that
  // were encoded and read back, or all with ReadSource::kYes. 0 if blocks were
  // taken over from an interrupted conversion and ReadSource::kYes is not
  // given.
  uint64_t source_objects_verified = 0;
  // How the source changed during the conversion. The file does not hold these
  // changes. New objects are not counted with ObjectSet::kReachable.
  MovedOn moved_on;
  // Alternates of the repository that do not exist. The file lacks the objects
  // that only these alternates had; no ref needs such an object.
  std::vector<std::string> missing_alternates;
  // Blocks that were taken over from an interrupted conversion.
  uint64_t resumed_blocks = 0;
  uint64_t resumed_bytes = 0;  // of these blocks
  // Why the file of an interrupted conversion was not used. Empty if that file
  // was used, or if there was none.
  std::string resume_unused;
  // The least RunOptions::memory that this conversion could keep to, in bytes,
  // if large blobs are held whole; otherwise 0: LeastMemoryToConvert counts.
  uint64_t least_memory = 0;

  uint64_t objects() const;
  uint64_t raw_bytes() const;
  // Everything in the file that is not a block: header, refs, index, tables.
  uint64_t index_bytes() const;
};

// Words for Lost, such as '2 refs and 1 object'. Empty if nothing is lost.
std::string Describe(const ConvertStats::Lost& lost);

}  // namespace zpack
