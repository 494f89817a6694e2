// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The one loop over the objects of a run: decodes its blocks, hashes what comes
// in pieces, and says what is lost. Thread-compatible.

#pragma once

#include <optional>
#include <stop_token>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "base/visitor.h"
#include "reader/block_decoder.h"
#include "reader/decoded_block.h"
#include "reader/file_blocks.h"
#include "reader/object_run.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// What a visit works with.
struct RunSource {
  const FileBlocks& file;
  BlockDecoder& decoder;
  std::stop_token stop = {};
};

// What is called for the objects of a run, in order. Each function may end the
// visit, by an error or by Visit::kStop.
struct RunVisitor {
  // An object, with its content, which is valid during the call. REQUIRES: set,
  // unless the caller knows that the object is in segments and sets `piece`.
  std::optional<Visitor<ObjectNumber, ObjectType, ByteView>> object =
      std::nullopt;
  // An object in segments, before its content is read. Visit::kStop leaves the
  // content out.
  std::optional<Visitor<ObjectNumber, const ObjectInfo&>> begin = std::nullopt;
  // A piece of the object in segments. Without this function, the object is
  // passed to `object` as a whole, within the limits of ReadSegments.
  std::optional<Visitor<ByteView>> piece = std::nullopt;
  // After the last piece: the id that the pieces hash to. Without this
  // function, they are not hashed.
  std::optional<Visitor<const ObjectId&>> end = std::nullopt;
  // An object that cannot be read, and why. Without this function, the visit
  // ends with the error.
  std::optional<Visitor<ObjectNumber, const Error&>> lost = std::nullopt;
};

// Visits the wanted objects of `run` (all if `wanted` is empty). Returns what
// the visitor answers, kInterrupted soon after a stop, and, if the visitor does
// not take lost objects, the errors of decoding.
Result<Visit> VisitRun(const RunSource& source, const BlockRun& run,
                       const WantedObjects& wanted, const RunVisitor& visitor);

// The same for a run whose first block is decoded already.
Result<Visit> VisitRun(const RunSource& source, const BlockRun& run,
                       const DecodedBlock& first, const WantedObjects& wanted,
                       const RunVisitor& visitor);

// The error of an object that cannot be read because of `error`, which is one
// of its run.
Error LossError(const FileBlocks& file, const BlockRun& run, const ObjectId& id,
                const Error& error);

}  // namespace zpack
