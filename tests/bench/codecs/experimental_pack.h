// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A pack whose entries are those of a stock pack, with the same deltas, each
// compressed by another codec. Only tools/bench/levels makes and reads such
// files. As zstd's wrapper of zlib does, the reader tells the codec by the
// first byte of each entry. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/lru_cache.h"
#include "bench/codecs/bench_run.h"
#include "bench/codecs/block_codec.h"
#include "pack/pack_reader.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::bench {

// Receives each entry of a pack in the order of DeltaOrder: its rank, and the
// inflated bytes of the object or delta.
using EntryVisitor = std::function<Status(PackRank, ByteView)>;
// Errors: those of the pack and of the visitor.
Status ForEachEntry(const PackReader& pack, const EntryVisitor& visit);

struct Recompressed {
  uint64_t bytes = 0;  // a stock pack with these streams would have
  uint64_t entries = 0;
  uint64_t raw_bytes = 0;  // of the inflated entries
  double wall = 0;         // of compressing
  double cpu = 0;
};

// Writes `path`. Without a codec, the zlib streams of the pack are kept.
Result<Recompressed> WriteExperimentalPack(const PackReader& pack,
                                           const CodecSpec* codec,
                                           const std::string& path);

class ExperimentalPack {
 public:
  // kCorrupt; kIo.
  static Result<ExperimentalPack> Open(const std::string& path);

  size_t size() const { return entries_.size(); }
  // The position of an object. kNotFound.
  Result<uint32_t> Find(const ObjectId& id) const;
  // Errors: kCorrupt.
  Status Read(uint32_t position, Bytes& content);

 private:
  struct Entry {
    uint32_t base = 0;  // its own position: not a delta
    uint32_t raw_size = 0;
    bool is_base = false;
    ByteView stored;
  };
  explicit ExperimentalPack(Bytes file);
  Status Unpack(const Entry& entry, Bytes& raw);

  Bytes file_;
  std::vector<Entry> entries_;
  std::unordered_map<ObjectId, uint32_t> positions_;
  BlockDecompressor decompressor_;
  LruCache<uint32_t, Bytes> bases_;
};

}  // namespace zpack::bench
