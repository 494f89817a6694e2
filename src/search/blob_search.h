// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches blobs of a file, each once, in storage order and on several threads.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

#include "base/index_spaces.h"
#include "reader/file_blocks.h"
#include "zpack/line_query.h"
#include "zpack/result.h"

namespace zpack::search {

// What was found in a blob. Valid during the call.
struct FoundBlob {
  ObjectNumber number;
  // Absent for a blob in segments, which is searched piece by piece.
  std::optional<std::string_view> text = std::nullopt;
  // Git takes a text with a zero byte among the first 8,000 for binary.
  bool binary = false;
  std::span<const MatchingLine> lines = {};  // numbers as BlobSearch says
  // What BlobSearch::name has returned for each line; empty without it.
  std::span<const uint32_t> names = {};
};

struct BlobSearch {
  LineQuery query;
  bool number_lines = false;
  // Only these blobs, in ascending order; all if there is nothing.
  std::optional<std::span<const ObjectNumber>> numbers = std::nullopt;
  unsigned threads = 0;
  std::stop_token stop = {};
  // Names the content of a line. Called once for a line and all its copies, by
  // any thread.
  std::function<Result<uint32_t>(std::string_view line)> name = {};
  // Lines of binary blobs are of no use: of one in segments, none is found.
  bool leaves_out_binary = false;
  // Gets the pieces of each blob in segments, in order, if it is set; `visit`
  // then does not get the blob. Called by any thread, by one for a blob.
  std::function<Status(ObjectNumber, std::string_view piece)> piece = {};
  // Gets each blob, also one without such lines, but none that the query does
  // not accept as a whole (LineQuery::all_match; of a blob in segments, that is
  // not checked). Called by any thread.
  std::function<Status(const FoundBlob&)> visit = {};
  // Gets a blob in segments that cannot be searched, and why. Without this
  // function, the search fails. Called by any thread.
  std::function<void(ObjectNumber, const Error&)> fail = {};
};

// Contents are not hashed. Errors: those of LineMatcher, of
// BlockDecoder::Decode and of the functions of `search`; kLimitExceeded, with
// the object, for a blob in segments that TextPieces cannot search;
// kInterrupted. REQUIRES: the index is loaded.
Status SearchBlobs(const FileBlocks& file, const BlobSearch& search);

}  // namespace zpack::search
