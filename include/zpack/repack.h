// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Rewriting the packs of a repository as one smaller stock pack.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

enum class Redundant : uint8_t { kLeave, kRemove };
enum class KeptObjects : uint8_t { kLeave, kPack };
enum class Borrowed : uint8_t { kPack, kLeave };
enum class ServerInfo : uint8_t { kLeave, kUpdate };
enum class Publication : uint8_t { kNo, kYes };
enum class Bitmap : uint8_t { kNo, kYes };

// What becomes of unreachable objects.
enum class Unreachable : uint8_t {
  kDrop,    // those in removed packs are lost; cruft packs stay
  kLoosen,  // those in removed packs, cruft packs too, become loose
  kCruft,   // packed and loose ones go into one cruft pack
};

// What is copied from the packs that are there, as git-pack-objects(1) does it.
enum class PackReuse : uint8_t {
  kDeltas,   // deltas, and objects that are stored whole and stay so
  kObjects,  // the latter only, unless they are compressed with less effort
  kNothing,
};

struct RepackOptions {
  RunOptions run;
  Discovery discovery = Discovery::kNone;
  // Candidates tried as base of an object, and deltas in a row, at most; what
  // pack.window and pack.depth say, or 20 and 50, when not set.
  std::optional<unsigned> window;
  std::optional<unsigned> depth;
  // libdeflate level, 1 to 12.
  int level = 9;
  PackReuse reuse = PackReuse::kDeltas;
  // kReachable leaves out what refs, HEADs, reflogs and indexes do not reach;
  // with kRemove it is lost if it is in a pack.
  ObjectSet objects = ObjectSet::kReachable;
  // Not to be combined with ObjectSet::kAll.
  Unreachable unreachable = Unreachable::kDrop;
  // Unreachable objects that were last used then or before, in seconds since
  // 1970, and are not needed by younger ones, are dropped after all.
  std::optional<int64_t> expiration;
  // kRemove removes packs and loose objects that new and kept packs make
  // redundant.
  Redundant redundant = Redundant::kLeave;
  // kPack packs what packs with a .keep file have, too, though these stay; what
  // repack.packKeptObjects says when not set.
  std::optional<KeptObjects> kept_objects;
  // Whether the caller is to write a bitmap, see RepackStats::wants_bitmap;
  // what 'git repack -a' does when not set.
  std::optional<Bitmap> bitmap;
  // kUpdate brings 'info/refs' and 'objects/info/packs' up to date; what
  // repack.updateServerInfo says when not set.
  std::optional<ServerInfo> server_info;
  // kLeave leaves out what alternates have. With kRemove, an object that both
  // have is read from the alternate before it is removed here.
  Borrowed borrowed = Borrowed::kPack;
  // Packs that stay as they are besides those with a .keep file, with or
  // without ".pack".
  std::vector<std::string> keep_packs;
  // Bytes of a pack at most, unless one object takes more; then there are
  // several. 0 for no limit; what pack.packSizeLimit says when not set.
  std::optional<uint64_t> max_pack_size;
  // kNo makes and verifies the packs, and removes them again.
  Publication publication = Publication::kYes;
  // Where the packs go, instead of into the repository.
  std::string output_directory;
};

struct RepackStats {
  // "pack-<hash>" of each new pack, one unless their size is limited; none when
  // they were not published, or when there was nothing to pack.
  std::vector<std::string> names;
  // The name of the pack that was there, if it stays because the new one would
  // be larger; it is in `names`.
  std::string kept_pack;
  uint64_t objects = 0;
  uint64_t pack_bytes = 0;    // packs, indexes and reverse indexes
  uint64_t source_bytes = 0;  // packs and pack indexes of the source before
  std::vector<std::string> cruft_names;  // of cruft packs, like `names`
  uint64_t cruft_objects = 0;
  uint64_t loosened_objects = 0;
  // The git directory that the repository and its work trees share, an absolute
  // path without links, and how many packs are there in the end.
  std::string common_directory;
  uint64_t packs = 0;
  // A multi-pack-index with a bitmap is wanted. The library writes neither.
  bool wants_bitmap = false;
  uint64_t borrowed_objects = 0;  // needed, but left to alternates
  uint64_t removed_packs = 0;
  uint64_t removed_loose = 0;
  // An object that was unreachable and came to be needed meanwhile: then
  // nothing is removed.
  std::string needed_again;
  // Alternates that do not exist. An object in them may need any object of the
  // repository, so nothing that is unreachable is lost:
  // `packs_with_unreachable` packs stay that would have been removed otherwise.
  std::vector<std::string> missing_alternates;
  uint64_t packs_with_unreachable = 0;
  // Loose objects that nothing reaches and whose files are damaged: these stay
  // as they are.
  std::vector<ObjectId> unreadable;
  // What could not be done in the end though all objects are in place, a line
  // each.
  std::vector<std::string> warnings;
  std::vector<PhaseTime> phases;  // in the order they ran
};

// Writes the objects of the repository at `repository` into one pack, reads it
// back from disk, hashes every object, and compares the set of ids; only then
// it appears under its name, index last, and only then anything is removed. On
// any failure the repository has all its objects.
//
// With kRemove, when the repository has one pack of exactly these objects that
// is smaller, that is verified instead, and stays.
//
// Errors: those of Convert; kInvalidArgument for kRemove without a new pack in
// the repository; kUnsupported for a partial clone, and to remove anything from
// a repository with extensions.preciousObjects, and for Bitmap::kYes where
// core.multiPackIndex is false; kNotFound for a
// pack to keep that is not there; kExists while another process does the same.
Result<RepackStats> Repack(const std::string& repository,
                           const RepackOptions& options);

}  // namespace zpack
