// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// One group of blocks (FORMAT.md, "Groups"): the continued streams of its
// blocks are compressed one after the other, by one thread at a time.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "base/bytes.h"
#include "codec/zstd_codec.h"
#include "writer/block_encoder.h"
#include "writer/encoded_block.h"
#include "zpack/result.h"

namespace zpack {

// A block, its continued stream before compression, and where it goes.
struct UncompressedBlock {
  PartialBlock partial;
  Bytes continued;
  EncodedBlock* block = nullptr;
};

// A block waits here from Add until a call of Compress completes it. One thread
// at a time compresses. Thread-safe.
class BlockGroup {
 public:
  // `raw_size` is the number of bytes of the objects of the stretch.
  BlockGroup(ZstdCompressor compressor, uint64_t raw_size);

  // Appends a block, which must stay where it is. Returns whether somebody
  // compresses already, or was said to.
  bool Add(UncompressedBlock block);
  // No block comes after those that are here.
  void Close();
  // Says that another thread is to compress, or that none is.
  void SetLeft(bool is_left);
  // Compresses what waits, unless another thread does. After an error, which is
  // returned each time, nothing else is compressed.
  Status Compress();

  // Bytes of streams that wait, or are being compressed.
  uint64_t waiting_bytes();
  // Returns after another thread has compressed a stream; false at once if none
  // compresses.
  bool WaitForProgress();

 private:
  Status Complete(UncompressedBlock& next);
  // The compressor takes much memory.
  void ReleaseIfDone();

  std::mutex mutex_;  // guards everything below; the compressor belongs to
                      // the thread that compresses
  std::condition_variable progress_;
  std::optional<ZstdCompressor> compressor_;
  std::deque<UncompressedBlock> waiting_;
  uint64_t waiting_bytes_ = 0;  // also of what is being compressed
  bool is_closed_ = false;
  bool is_left_ = false;  // a helper will compress, if all goes well
  bool compresses_ = false;
  Status outcome_;
};

}  // namespace zpack
