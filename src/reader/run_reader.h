// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decodes the wanted objects of one block after the other. Thread-compatible;
// one per thread, reused.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "base/index_spaces.h"
#include "base/visitor.h"
#include "reader/block_decoder.h"
#include "reader/file_blocks.h"
#include "reader/object_chunk.h"
#include "reader/object_run.h"
#include "zpack/result.h"

namespace zpack {

// Which objects of a file a bulk read passes on.
struct BulkChoice {
  // Their numbers, ascending. All objects if there is none.
  std::optional<std::span<const ObjectNumber>> numbers = std::nullopt;
  // If not empty, only the objects for which it returns true. Any thread may
  // call it.
  std::function<bool(const ObjectInfo&)> wants = {};
  // Larger objects come without their contents, as do objects in segments above
  // a limit of ReadOptions.
  uint64_t max_content = uint64_t{64} << 20;
};

class RunReader {
 public:
  // Takes a chunk and leaves an empty one in its place.
  using TakeChunk = std::function<Result<Visit>(std::unique_ptr<ObjectChunk>&)>;

  // `file`, whose index is loaded, and `choice` must outlive the reader.
  RunReader(const FileBlocks& file, const BulkChoice& choice,
            std::stop_token stop);

  // Passes the chosen objects of `run` to `take`, in order, about 512 KiB at a
  // time, or one larger object. All contents are hashed. Objects that cannot be
  // read are entries of the chunks, too. Returns Visit::kStop as soon as `take`
  // does, the errors of `take`, and kInterrupted.
  Result<Visit> Read(const BlockRun& run, const TakeChunk& take);

 private:
  // Marks the objects of the run that `choice` chooses; no marks if it chooses
  // all. Reads the sizes of the block if it needs them. After an error, the
  // marks are those that need no sizes.
  Status Choose(WantedObjects& chosen);
  // Adds the chosen objects of the run, or their errors.
  Result<Visit> AddObjects(const WantedObjects& chosen);
  // Adds all chosen objects of the run as lost.
  Result<Visit> AddAllLost(const WantedObjects& chosen, const Error& error);
  Result<Visit> AddLost(ObjectNumber number, const Error& error);
  // Passes the chunk on if it is full.
  Result<Visit> Added();
  Result<Visit> Flush();

  const FileBlocks& file_;
  const BulkChoice& choice_;
  std::stop_token stop_;
  BlockDecoder decoder_;
  ChunkHasher hasher_;
  std::unique_ptr<ObjectChunk> chunk_ = std::make_unique<ObjectChunk>();
  // Of the current call of Read:
  BlockRun run_;
  const TakeChunk* take_ = nullptr;
};

}  // namespace zpack
