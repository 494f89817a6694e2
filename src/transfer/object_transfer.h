// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves objects of an archive to an ObjectSink. Decodes, hashes and prepares
// them on several threads.

#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "base/index_spaces.h"
#include "object/object_sink.h"
#include "reader/archive_file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// The objects to transfer.
struct TransferChoice {
  IndexedVector<ObjectNumber, bool> chosen;  // one for each object of the file
  // By the number of a chosen object: an object that is not chosen, that the
  // receiver has, and that the chosen one resembles.
  std::unordered_map<ObjectNumber, ObjectNumber> outside_bases;
};

// Called after some objects were added, with their number and their bytes of
// content.
using TransferProgress = std::function<void(uint64_t objects, uint64_t bytes)>;

// Returns the bytes of content that each thread keeps as candidates for bases,
// which is also the limit for objects in the sink's form that are held at a
// time: 32 MiB, or less if RunOptions::memory is small. A decoded block and the
// bases of its objects are not included.
uint64_t TransferWindow(const RunOptions& run);

// Decodes and hashes the chosen objects of `archive` (all objects if `choice`
// is null) and adds them to `sink` in storage order. Returns kCorrupt if an
// object does not hash to its id. Other errors are those of reading the archive
// and of `sink`. REQUIRES: the index is loaded.
Status TransferObjects(const ArchiveFile& archive, const TransferChoice* choice,
                       const RunOptions& run, ObjectSink& sink,
                       const TransferProgress& progress);

// The same for blocks without an archive. REQUIRES: `choice` has no outside
// bases; FileBlocks::LoadIndex has succeeded.
Status TransferObjects(const FileBlocks& blocks, const TransferChoice& choice,
                       const RunOptions& run, ObjectSink& sink,
                       const TransferProgress& progress);

}  // namespace zpack
