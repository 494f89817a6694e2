// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block_streams.h"

namespace zpack::format {

uint64_t BlockStreams::raw_size() const {
  uint64_t size = 0;
  for (const StreamKind kind : kinds_) size += streams_[Index(kind)].size();
  return size;
}

std::vector<RawStream> BlockStreams::Views() const {
  std::vector<RawStream> views;
  views.reserve(kinds_.size());
  for (const StreamKind kind : kinds_) {
    views.push_back({kind, streams_[Index(kind)]});
  }
  return views;
}

void BlockStreams::Clear() {
  for (const StreamKind kind : kinds_) streams_[Index(kind)].clear();
}

void BlockStreams::Mark() {
  marks_.clear();
  for (const StreamKind kind : kinds_) {
    marks_.push_back(streams_[Index(kind)].size());
  }
}

void BlockStreams::Rewind() {
  for (size_t i = 0; i < marks_.size(); ++i) {
    streams_[Index(kinds_[i])].resize(marks_[i]);
  }
}

}  // namespace zpack::format
