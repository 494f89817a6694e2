// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of every operation, with the reason to change a default. Plain
// values; `progress` is borrowed and must outlive the call it is given to.

#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "zpack/progress.h"

namespace zpack {

enum class Overwrite : uint8_t { kNo, kYes };
enum class ObjectSet : uint8_t { kAll, kReachable };
enum class ReadBack : uint8_t { kNo, kYes };

// What every long-running operation understands.
struct RunOptions {
  // Worker threads; 0 means one per processor this process may use. Never
  // changes the bytes that are written.
  unsigned threads = 0;
  ProgressSink* progress = nullptr;
  // Ends the operation with kInterrupted soon after a stop is requested.
  std::stop_token stop;
};

// Bounds on what a file may make a reader allocate. A file that asks for more
// is refused with kLimitExceeded before anything of that size is allocated.
struct ReadOptions {
  // Largest raw or stored size of one block. Blocks of this library's own
  // writer hold at most ConvertOptions::block_size plus one object below it.
  uint64_t max_block_size = uint64_t{256} << 20;
  // Largest object that is returned in one buffer; larger ones can still be
  // streamed, verified and restored.
  uint64_t max_object_size = uint64_t{4} << 30;
  // Largest chunk of metadata (refs, object index, tables).
  uint64_t max_chunk_size = uint64_t{16} << 30;
  // Bytes of decoded blocks that are kept for later reads.
  uint64_t cache_size = uint64_t{256} << 20;
};

struct ConvertOptions {
  RunOptions run;
  // zstd level, 1 to 22. See README.md for what the levels cost and save.
  int level = 9;
  // Bytes of object content per block, before compression. Larger blocks are
  // smaller in sum, but reading one object decodes one whole block. Objects
  // larger than this are split over several blocks. On libgit2, 8 MiB make
  // the file 1.5 times as large as 32 MiB, and 128 MiB 0.85 times.
  uint64_t block_size = uint64_t{32} << 20;
  static constexpr uint64_t kMinBlockSize = uint64_t{4} << 10;
  static constexpr uint64_t kMaxBlockSize = uint64_t{128} << 20;
  // kReachable keeps only what refs, HEADs and reflogs reach.
  ObjectSet objects = ObjectSet::kAll;
  // kYes replaces an existing destination, atomically.
  Overwrite overwrite = Overwrite::kNo;
  // kNo skips the decoding and re-hashing of the finished file. The set of
  // ids and the source's refs are compared in any case.
  ReadBack read_back = ReadBack::kYes;
};

// How much Verify checks; each level includes those before it.
enum class VerifyLevel : uint8_t {
  kStructure,     // header, table of contents, tables and index fit together
  kChecksums,     // every chunk's checksum, content digest and file hash
  kObjects,       // every object decodes and hashes to its id
  kConnectivity,  // everything refs and HEAD need is present, up to shallow
};

struct VerifyOptions {
  RunOptions run;
  ReadOptions read;
  VerifyLevel level = VerifyLevel::kObjects;
};

struct RestoreOptions {
  RunOptions run;
  ReadOptions read;
  // kYes replaces an existing bare repository; anything else in the way is
  // never touched.
  Overwrite overwrite = Overwrite::kNo;
};

}  // namespace zpack
