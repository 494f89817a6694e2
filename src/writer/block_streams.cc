// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/block_streams.h"

namespace zpack {

uint64_t BlockStreams::raw_size() const {
  uint64_t size = 0;
  for (const format::StreamKind kind : kinds_) {
    size += streams_[Index(kind)].size();
  }
  return size;
}

std::vector<BlockEncoder::RawStream> BlockStreams::Views() const {
  std::vector<BlockEncoder::RawStream> views;
  views.reserve(kinds_.size());
  for (const format::StreamKind kind : kinds_) {
    views.push_back({kind, streams_[Index(kind)]});
  }
  return views;
}

void BlockStreams::Clear() {
  for (const format::StreamKind kind : kinds_) streams_[Index(kind)].clear();
}

void BlockStreams::Mark() {
  for (const format::StreamKind kind : kinds_) {
    marks_[Index(kind)] = streams_[Index(kind)].size();
  }
}

void BlockStreams::Rewind() {
  for (const format::StreamKind kind : kinds_) {
    streams_[Index(kind)].resize(marks_[Index(kind)]);
  }
}

}  // namespace zpack
