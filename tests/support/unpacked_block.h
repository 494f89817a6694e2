// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams of blocks: made of parts, taken out of a chunk, and as the input of a
// fuzz target. Pure.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "format/block.h"
#include "format/block_streams.h"
#include "format/chunk.h"
#include "reader/block_decoder.h"
#include "support/temp_dir.h"

namespace zpack::testing {

// All streams, in the order of writing.
inline std::vector<Bytes*> AllStreams(format::BlockStreams& streams) {
  std::vector<Bytes*> all;
  for (const format::StreamKind kind : streams.kinds()) {
    all.push_back(&streams[kind]);
  }
  return all;
}

inline bool SameStreams(const format::BlockStreams& a,
                        const format::BlockStreams& b) {
  return std::ranges::equal(
      a.Views(), b.Views(),
      [](const format::RawStream& x, const format::RawStream& y) {
        return x.kind == y.kind && std::ranges::equal(x.bytes, y.bytes);
      });
}

// Those that are not named are empty.
inline format::BlockStreams StreamsFrom(
    format::BlockKind kind,
    std::vector<std::pair<format::StreamKind, Bytes>> named) {
  format::BlockStreams streams(kind);
  for (auto& [stream, bytes] : named) streams[stream] = std::move(bytes);
  return streams;
}

// The streams in a chunk, and what its header says.
struct UnpackedBlock {
  format::BlockHeader header;
  format::BlockStreams streams;
  uint64_t stored_size = 0;
};

inline UnpackedBlock UnpackBlock(ByteView chunk) {
  const auto payload = format::DecodeChunk(format::kBlockChunk, chunk);
  Require(payload.has_value(), "chunk");
  const auto view = format::DecodeBlock(*payload, uint64_t{1} << 30);
  Require(view.has_value(), "block");
  UnpackedBlock block{view->header, format::BlockStreams(view->header.kind)};
  Require(view->streams.size() == block.streams.kinds().size(), "streams");
  BlockDecoder decoder;
  for (const format::StreamKind kind : block.streams.kinds()) {
    auto raw = decoder.Unpack(*view, kind);
    Require(raw.has_value(), "stream");
    block.stored_size += view->Find(kind)->stored.size();
    block.streams[kind] = *std::move(raw);
  }
  return block;
}

// The sizes of all streams but the last in two bytes each, and the streams.
inline void EncodeInput(const format::BlockStreams& streams, Bytes& out) {
  const std::vector<format::RawStream> views = streams.Views();
  for (size_t i = 0; i + 1 < views.size(); ++i) {
    ByteWriter(out).U16(static_cast<uint16_t>(views[i].bytes.size()));
  }
  for (const format::RawStream& stream : views) Append(out, stream.bytes);
}

// The same read. Returns false if the input is too short for the sizes.
inline bool DecodeInput(ByteReader& in, format::BlockStreams& streams) {
  const std::vector<Bytes*> all = AllStreams(streams);
  std::vector<size_t> sizes;
  for (size_t i = 0; i + 1 < all.size(); ++i) sizes.push_back(in.U16());
  if (!in.ok()) return false;
  sizes.push_back(SIZE_MAX);
  for (size_t i = 0; i < all.size(); ++i) {
    const ByteView bytes = in.Raw(std::min(sizes[i], in.remaining()));
    all[i]->assign(bytes.begin(), bytes.end());
  }
  return true;
}

}  // namespace zpack::testing
