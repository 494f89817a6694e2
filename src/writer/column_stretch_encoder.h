// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Encodes a sequence of objects as blocks of columns, in which no object has a
// base. Each block can be decoded without the others. Thread-compatible: one
// encoder per worker.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/index_spaces.h"
#include "format/block_form.h"
#include "format/limits.h"
#include "format/link_numbers.h"
#include "writer/stretch_output.h"
#include "zpack/result.h"

namespace zpack {

// `Builder` writes the streams of one block; see format::CommitBlockBuilder.
template <typename Builder>
class ColumnStretchEncoder {
 public:
  // Closes a block once it holds `block_size` bytes before compression, or
  // before it represents more than format::kMaxCommits bytes. Both references
  // must outlive this object.
  ColumnStretchEncoder(const format::FileNumbers& numbers, uint64_t block_size,
                       BlockEncoder& encoder)
      : builder_(numbers), block_size_(block_size), output_(encoder) {}

  // Begins a stretch, as StretchOutput::Begin.
  void Begin(ObjectNumber first, const BlockDestination& to) {
    output_.Begin(first, to);
    builder_.Begin(first);
  }

  // Adds the next object of the stretch. `path` is ignored.
  Status Add(const Bytes& content, PathNumber /*path*/) {
    if (builder_.count() != 0 &&
        builder_.content() + content.size() > format::kMaxCommits) {
      ZPACK_TRY(CloseBlock());
    }
    builder_.Add(content);
    return builder_.streams().raw_size() < block_size_ ? Status{}
                                                       : CloseBlock();
  }

  // Ends the stretch.
  Status Finish() { return builder_.count() == 0 ? Status{} : CloseBlock(); }

 private:
  Status CloseBlock() {
    const ObjectType type =
        format::FindBlockForm(Builder::kKind)->types.front();
    ZPACK_TRY(output_.AddBlock({Builder::kKind, type, builder_.count(),
                                builder_.content(), builder_.content()},
                               builder_.streams()));
    builder_.Begin(output_.first());
    return {};
  }

  Builder builder_;
  uint64_t block_size_;
  StretchOutput output_;
};

}  // namespace zpack
