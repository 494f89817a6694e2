// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings back what a damaged .zpack file still holds. Several threads may call
// Salvage at once; options.h lists what the calls share in a process.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zpack/lost_object.h"
#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/promisor_remote.h"
#include "zpack/result.h"

namespace zpack {

// What must be undamaged.
enum class SoundParts : uint8_t {
  kNone,       // any part may be damaged or missing
  kStructure,  // all that VerifyLevel::kStructure checks
};

struct SalvageOptions {
  // How the repository is made.
  RestoreOptions restore;
  SoundParts required = SoundParts::kNone;
  // Used if nothing in the file tells the object format.
  ObjectFormat fallback_format = ObjectFormat::kSha1;
};

// Bytes of the file that belong to no undamaged part.
struct DamagedRange {
  uint64_t offset = 0;
  uint64_t size = 0;
  std::string path = {};  // of the file, if it is salvaged with those below
};

// Consecutive objects of which no undamaged block was found.
struct LostBlock {
  uint32_t first_object = 0;
  uint32_t object_count = 0;  // 0 for a segment of an object
  // Where the block was, if the block table tells.
  std::optional<uint64_t> offset;
};

// An object that a salvaged object or a ref names, and that is not there.
struct MissingObject {
  ObjectId id;
  ObjectId commit;   // a commit that reaches the object; empty if unknown
  std::string path;  // in the tree of that commit; empty for a commit
  std::string by;    // what names the object, for people
};

struct LostRef {
  std::string name;  // a full name or "HEAD"
  ObjectId target;
};

struct SalvageReport {
  ObjectFormat object_format = ObjectFormat::kSha1;
  // The part that tells the object format, for people.
  std::string format_source;
  // Objects that the file held. Empty if no undamaged part tells.
  std::optional<uint64_t> object_count;
  // Objects that were brought back: all, and by type from kCommit to kTag.
  uint64_t objects = 0;
  std::array<uint64_t, 4> objects_by_type = {};
  uint64_t raw_bytes = 0;   // object content
  uint64_t pack_bytes = 0;  // the pack and its index

  // Parts other than blocks that are damaged or gone, by the ids of their
  // chunks; also "header", "trailer" and "file below". If a file below has the
  // part: "BTAB of 'old.zpack'".
  std::vector<std::string> lost_parts;
  std::vector<DamagedRange> damaged_ranges;
  std::vector<LostBlock> lost_blocks;
  // Undamaged blocks that claim the numbers of other blocks and were not used.
  uint64_t conflicting_blocks = 0;
  // Errors of undamaged blocks that cannot be decoded, and of objects that do
  // not hash to their ids.
  std::vector<Error> damages;

  // Objects that were not brought back. A lower bound if `object_count` is
  // empty.
  uint64_t lost_objects = 0;
  // Their ids, ascending, if the list of ids is undamaged; otherwise empty. Of
  // a chain, those in the lists that can be read. If the file below cannot be
  // used, those of the file's own objects.
  std::vector<ObjectId> lost_ids;
  // Objects that what was brought back needs, whether or not a ref reaches it.
  // Ascending by id.
  std::vector<MissingObject> missing;

  bool refs_known = false;  // the list of refs is undamaged
  uint64_t refs = 0;        // written, without `new_refs`
  // Refs that were written although objects of their history are missing.
  std::vector<LostRef> incomplete_refs;
  // Refs that were not written because their target is not there.
  std::vector<LostRef> lost_refs;
  // Refs 'refs/salvaged/<id>' for commits and tags that nothing else names.
  uint64_t new_refs = 0;
  std::string head;  // what HEAD of the repository names: a ref or an id

  // The list of files is undamaged, or there was none.
  bool files_known = false;
  uint64_t files = 0;           // RepositoryFiles
  uint64_t inactive_files = 0;  // of these, for want of RestoreOptions::trust
  std::vector<std::string> inactive_names;  // their names, as restored
  bool names_alternates = false;
  std::vector<std::string> lost_files;  // names
  uint64_t promised_objects = 0;
  std::vector<PromisorRemote> promisor_remotes;
  // Objects that the repository had lost when the file was made. They count
  // neither as `lost_objects` nor as `missing`.
  std::vector<ListedLoss> lost_before;
  std::vector<PhaseTime> phases;  // in the order they ran

  // True if everything was brought back and undamaged parts prove it.
  bool complete = false;
};

// Makes a bare repository at `directory`, as Restore does, of everything that
// is undamaged in the file at `path`: every object that can be rebuilt, every
// ref whose object is there or was lost before, shallow boundaries, the list of
// promised objects, and files. Parts are found by their checksums, at any
// offset, so header, tables, index and the end of the file may be missing.
//
// Every object is written under the id that it hashes to. If the index is
// undamaged, an object that does not hash to its id counts as damaged. If it is
// not, ids follow from the contents: a tree is rebuilt once all its entries
// are, a commit once its tree and parents are.
//
// HEAD is that of the file. If that is unknown, HEAD is refs/heads/main,
// refs/heads/master or the first branch. If refs or objects were lost,
// each commit or tag that no other one and no ref names gets the ref
// 'refs/salvaged/<id>'.
//
// Damage is reported and is not an error of the call.
//
// Errors: kCorrupt if the file has no undamaged block, refs or header, or if a
// part that SalvageOptions::required names is damaged; otherwise those of
// Restore, but kUnsupported only for a version or feature of an undamaged
// header that this library does not know.
Result<SalvageReport> Salvage(const std::string& path,
                              const std::string& directory,
                              const SalvageOptions& options);

}  // namespace zpack
