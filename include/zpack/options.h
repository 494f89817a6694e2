// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of every operation, with the reason to change a default. Plain
// values; `progress` is borrowed and must outlive the call it is given to.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "zpack/progress.h"

namespace zpack {

enum class Overwrite : uint8_t { kNo, kYes };
enum class ObjectSet : uint8_t { kAll, kReachable };
enum class ReadBack : uint8_t { kNo, kYes };
enum class Resume : uint8_t { kNo, kYes };
enum class TrustBase : uint8_t { kNo, kYes };
enum class AllowNewer : uint8_t { kNo, kYes };

// What the path of a repository means. It is that repository: a git directory,
// a directory whose '.git' is one or names one, or such a file '.git'. With
// kUpwards, if it is none, it is the nearest directory above that is one, as
// far up as Git looks from there (GIT_CEILING_DIRECTORIES,
// GIT_DISCOVERY_ACROSS_FILESYSTEM).
enum class Discovery : uint8_t { kNone, kUpwards };

// How much work `convert` does for a smaller file. See README.md for what the
// profiles cost and save.
enum class Profile : uint8_t {
  kFast,      // a few candidates per blob, low level
  kBalanced,  // the default
  kMax,       // many candidates, larger blocks, high level
};

// What every long-running operation understands.
struct RunOptions {
  // Worker threads; 0 means one per processor this process may use. Never
  // changes the bytes that are written.
  unsigned threads = 0;
  // Bytes of memory for the whole process, besides some 100 for each object: a
  // quarter of what there is when not set. Fewer threads run if it is little
  // for them. Given to Convert, less than kPlentyOfMemory makes its working
  // sets smaller, too, and so changes the bytes that are written.
  std::optional<uint64_t> memory;
  static constexpr uint64_t kPlentyOfMemory = uint64_t{512} << 20;
  ProgressSink* progress = nullptr;
  // Ends the operation with kInterrupted soon after a stop is requested.
  std::stop_token stop;
};

// Bounds on what a file may make a reader allocate. A file that asks for more
// is refused with kLimitExceeded before anything of that size is allocated.
struct ReadOptions {
  // Largest raw or stored size of one block, largest object stored as a delta,
  // and most content held while a block of deltas is decoded. No file of this
  // library's own writer needs more than the default.
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
  Discovery discovery = Discovery::kNone;
  Profile profile = Profile::kBalanced;
  // zstd level, 1 to 22, instead of the profile's.
  std::optional<int> level;
  // Bytes of data in a block of blobs before compression, instead of the
  // profile's. Larger blocks are smaller in sum, but reading one blob decodes
  // one block of so many bytes, besides the blob itself. Blocks of commits hold
  // as much, blocks of trees a quarter; objects larger than 8 times as much are
  // split over several blocks.
  std::optional<uint64_t> block_size;
  static constexpr uint64_t kMinBlockSize = uint64_t{4} << 10;
  static constexpr uint64_t kMaxBlockSize = uint64_t{16} << 20;
  // kReachable keeps only what refs, HEADs and reflogs reach.
  ObjectSet objects = ObjectSet::kAll;
  // An older file of the same repository, whose blocks are taken over; the work
  // is that for the objects that it does not have. Its blocks keep the profile
  // they were written with. When it has objects that the new file must not
  // have, everything is converted.
  std::optional<std::string> base;
  // kYes does not hash the objects of blocks that are copied from `base`. Only
  // the checksums of these blocks are checked then, which anybody can compute.
  TrustBase trust_base = TrustBase::kNo;
  // kYes replaces an existing destination, atomically; it may be `base`.
  Overwrite overwrite = Overwrite::kNo;
  // kYes continues a conversion to the same path that was cut off, from what it
  // had written, as far as that is undamaged and would come out the same now.
  Resume resume = Resume::kNo;
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
  Discovery discovery = Discovery::kNone;
  VerifyLevel level = VerifyLevel::kObjects;
  // kYes accepts that the repository to compare with is newer than the file.
  // It may have more objects, more refs, and other shallow boundaries. HEAD and
  // refs may differ from those of the file as long as the repository still has
  // the objects that the file names there.
  AllowNewer allow_newer = AllowNewer::kNo;
};

struct RestoreOptions {
  RunOptions run;
  ReadOptions read;
  // kYes replaces an existing bare repository, with its configuration, hooks
  // and reflogs; anything else in the way is never touched.
  Overwrite overwrite = Overwrite::kNo;
};

}  // namespace zpack
