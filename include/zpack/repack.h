// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Rewrites the packs of a Git repository as one smaller pack, that is, a
// pack of version 2, which every Git reads. Several threads may call Repack at
// once; options.h lists what the calls share in a process.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "zpack/lost_object.h"
#include "zpack/object_filter.h"
#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

enum class Redundant : uint8_t { kLeave, kRemove };
enum class KeptObjects : uint8_t { kLeave, kPack };
enum class Borrowed : uint8_t { kPack, kLeave };
enum class ServerInfo : uint8_t { kLeave, kUpdate };
enum class Bitmap : uint8_t { kNo, kYes };
enum class Islands : uint8_t { kIgnore, kRespect };
enum class MultiPackIndex : uint8_t { kLeave, kWrite };

// What becomes of unreachable objects.
enum class Unreachable : uint8_t {
  // Unreachable objects in removed packs are lost. Cruft packs stay.
  kDrop,
  // Unreachable objects in removed packs become loose objects. Cruft packs are
  // removed packs, too.
  kLoosen,
  // Unreachable objects, packed or loose, go into one cruft pack.
  kCruft,
};

// What is copied from the existing packs, as git-pack-objects(1) does it.
enum class PackReuse : uint8_t {
  // Deltas, and objects that are stored whole and will be stored whole again.
  kDeltas,
  // Only objects that are stored whole and will be stored whole again, unless
  // they were compressed with less effort than `level` stands for.
  kObjects,
  kNothing,
};

// A multi-pack-index with a bitmap that a repository should get.
struct MultiPackIndexRequest {
  // The git directory that the repository and its work trees share: an absolute
  // path without links.
  std::string common_directory;
  // The packs that the index should list: "pack-..." of each pack that stays.
  std::vector<std::string> packs;
  // One of them, with reachable objects, from which Git should copy to clients
  // (--preferred-pack). Empty if no pack is new: Git chooses then.
  std::string preferred;
};

struct RepackOptions {
  RunOptions run;
  Discovery discovery = Discovery::kNone;
  // Maximum number of objects that are tried as the base of an object. The
  // default is pack.window of the repository, or 20.
  std::optional<unsigned> window;
  // Maximum number of deltas in a chain. The default is pack.depth of the
  // repository, or 50.
  std::optional<unsigned> depth;
  // libdeflate level, 1 to 12.
  int level = 9;
  PackReuse reuse = PackReuse::kDeltas;
  // kRespect makes no delta of an object against a base that is missing in one
  // of its delta islands (pack.island). The default is repack.useDeltaIslands
  // of the repository. Has no effect on a geometric repack.
  std::optional<Islands> islands;
  // kReachable packs only the objects that refs, HEADs, reflogs and indexes
  // reach. With Redundant::kRemove, `unreachable` says what becomes of the
  // other objects in the removed packs.
  ObjectSet objects = ObjectSet::kReachable;
  // A factor makes the repack geometric, as 'git repack --geometric': the
  // smallest packs are rolled up into one, reachable or not, together with
  // loose objects, so that each pack left has at least `geometric` times the
  // objects of the next smaller one. Kept packs and cruft packs are left alone.
  // Objects of promisor packs go into a promisor pack. 0: all packs are
  // rewritten. As in Git, a negative factor is too large for any two packs.
  int32_t geometric = 0;
  // Must be kDrop with ObjectSet::kAll or `geometric`.
  Unreachable unreachable = Unreachable::kDrop;
  // A time in seconds since 1970. kLoosen and kCruft drop an unreachable object
  // that was last used at that time or before, unless a younger object needs
  // it. By default no object expires.
  std::optional<int64_t> expiration;
  // With kCruft and Redundant::kRemove: writes the objects that expire, packed
  // or loose, to a cruft pack elsewhere before they are removed. The value is
  // the path of the pack without "-<hash>.pack". Its directory must exist.
  std::string expire_to;
  // Puts objects that do not pass, and that no ref or other tip names, into a
  // pack of their own, as 'git repack --filter'. `tree_depth` must be 0 or
  // none. Loose objects that do not pass stay loose. `filter_to` is the path of
  // that pack, as in `expire_to`; the repository then lacks these objects,
  // unless that directory belongs to an alternate. If empty, the pack is in the
  // repository.
  ObjectFilter filter;
  std::string filter_to;
  // kRemove removes packs and loose objects whose objects are in new or kept
  // packs.
  Redundant redundant = Redundant::kLeave;
  // kPack also packs the objects of packs with a .keep file. The kept packs
  // stay. The default is repack.packKeptObjects of the repository.
  std::optional<KeptObjects> kept_objects;
  // kYes asks for a bitmap (RepackStats::wants_bitmap). The default is the
  // decision of 'git repack -a'.
  std::optional<Bitmap> bitmap;
  // kWrite writes a multi-pack-index of the packs that stay, as 'git repack
  // --write-midx', before anything is removed. No bitmap is written by default
  // then.
  MultiPackIndex multi_pack_index = MultiPackIndex::kLeave;
  // Lets Git write the multi-pack-index with the bitmap that is wanted, since
  // the library itself writes no bitmap: 'git multi-pack-index write --bitmap
  // --stdin-packs'. Called when the new packs are in place, and before anything
  // is removed, so that no multi-pack-index ever lists a pack that is gone.
  // With Bitmap::kYes, an error ends Repack, and nothing is removed; otherwise
  // it is a warning.
  std::function<Status(const MultiPackIndexRequest&)> write_multi_pack_index;
  // kUpdate brings 'info/refs' and 'objects/info/packs' up to date. The default
  // is repack.updateServerInfo of the repository.
  std::optional<ServerInfo> server_info;
  // kLeave does not pack objects that alternates have. With kRemove, an object
  // that is here and in an alternate is read from the alternate before it is
  // removed here.
  Borrowed borrowed = Borrowed::kPack;
  // More packs that stay as they are, like packs with a .keep file. A name is
  // "pack-..." with or without ".pack". If there is no such pack, there is a
  // warning.
  std::vector<std::string> keep_packs;
  // Maximum bytes of a pack; more objects go into more packs. A single object
  // that takes more makes a larger pack. 0 means no limit. The default is
  // pack.packSizeLimit of the repository.
  std::optional<uint64_t> max_pack_size;
  // kNo makes and verifies the packs, and then removes the new packs.
  Publication publication = Publication::kYes;
  // Directory for the new packs. If empty, the packs go into the repository.
  std::string output_directory;
};

struct RepackStats {
  // "pack-<hash>" of each new pack: one name, or several if the pack size is
  // limited. Empty if there was nothing to pack, or with Publication::kNo.
  std::vector<std::string> names;
  // The name of an old pack that stays because the new pack would be larger.
  // `names` has this name, too. Otherwise empty.
  std::string kept_pack;
  uint64_t objects = 0;  // objects to pack
  // Bytes of the new packs, and of all packs of the source before: with their
  // indexes, reverse indexes and, of cruft packs, times.
  uint64_t pack_bytes = 0;
  uint64_t source_bytes = 0;
  std::vector<std::string> cruft_names;  // names of the new cruft packs
  uint64_t cruft_objects = 0;
  uint64_t loosened_objects = 0;
  uint64_t filtered_objects = 0;  // that did not pass the filter
  uint64_t expired_objects = 0;   // written to RepackOptions::expire_to
  // The git directory that the repository and its work trees share: an absolute
  // path without links.
  std::string common_directory;
  // Number of packs in the repository at the end.
  uint64_t packs = 0;
  // True if the repository should have a multi-pack-index with a bitmap.
  // Without RepackOptions::write_multi_pack_index, the caller should write one.
  bool wants_bitmap = false;
  uint64_t borrowed_objects = 0;  // needed, but left to alternates
  // With Borrowed::kLeave: there are alternates. Then no bitmap is wanted.
  bool leaves_to_alternates = false;
  uint64_t removed_packs = 0;
  uint64_t removed_loose = 0;
  // The id of an object that was unreachable at first and was needed when packs
  // were to be removed. If set, nothing was removed.
  std::string needed_again;
  // Alternates that do not exist.
  std::vector<std::string> missing_alternates;
  // Objects that do not exist, although a reflog names them, or although a root
  // needs them that 'git repack' does not know, such as MERGE_HEAD.
  std::vector<LostObject> lost;
  // A missing object may need any object of the repository, and so may an
  // object of a missing alternate. Therefore, if `lost` or `missing_alternates`
  // is not empty, no pack with unreachable objects is removed. This is the
  // number of packs that stay for this reason.
  uint64_t packs_with_unreachable = 0;
  // Unreachable loose objects with damaged files. The files stay as they are.
  std::vector<ObjectId> unreadable;
  // What failed after all objects were in place, one line each.
  std::vector<std::string> warnings;
  std::vector<PhaseTime> phases;  // in the order they ran
};

// Writes the objects of the repository at `repository` into one pack, under
// temporary names. Then Repack reads the pack back from disk, hashes every
// object, and compares the set of ids with the objects that were to be packed.
// Then the pack gets its name, the index last. Then write_multi_pack_index is
// called. With Redundant::kRemove, old packs and loose objects are removed
// after that.
//
// If Repack fails before a new pack gets its name, the repository is unchanged.
// If Repack fails later, new packs may be there, and some of the redundant
// packs and loose objects may be removed already. In either case the repository
// has every object that the options keep.
//
// With kRemove, if the repository has one pack of exactly these objects and
// that pack is smaller than the new one, the old pack is verified and stays.
//
// Errors: those of Convert for finding, opening and reading a repository, and
// - kInvalidArgument: kRemove or MultiPackIndex::kWrite with Publication::kNo
// or
//   `output_directory`;
//   ObjectSet::kAll or `geometric` with an `unreachable` other than kDrop; a
//   filter with `geometric`, Bitmap::kYes, ObjectSet::kAll or an `unreachable`
//   other than kDrop; `filter_to` without a filter; `expire_to` without kCruft
//   and kRemove; `geometric` without MultiPackIndex::kWrite, or `filter_to`
//   with kRemove, where a bitmap is wanted.
// - kLimitExceeded: a pack has too many objects for `geometric`.
// - kUnsupported: a filter with another tree_depth; kRemove where
//   extensions.preciousObjects is set; `expiration` where gc.recentObjectsHook
//   is set; Bitmap::kYes where core.multiPackIndex is false;
//   MultiPackIndex::kWrite where midx.version is unknown.
// - kExists: another process repacks the repository, or holds a lock that is
//   needed to remove packs.
// - any error of write_multi_pack_index.
Result<RepackStats> Repack(const std::string& repository,
                           const RepackOptions& options);

// What one thread may take, in bytes, not counting the bytes for each object:
// the least RunOptions::memory that Repack can keep to.
uint64_t LeastMemoryToRepack();

}  // namespace zpack
