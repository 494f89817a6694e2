// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks a .zpack file, by itself and against its repository. Several threads
// may call Verify at once; options.h lists what the calls share in a process.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zpack/file_facts.h"
#include "zpack/lost_object.h"
#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/parity_state.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// One difference between the file and the repository.
struct Difference {
  enum class Kind : uint8_t {
    kMissing,    // in the repository, not in the file
    kExtra,      // in the file, not in the repository
    kDifferent,  // in both, but with different type, size or target
  };
  Kind kind = Kind::kMissing;
  // An object id, a ref name, "HEAD", "shallow <id>" or the name of a file.
  std::string subject;
  std::string message;
};

// Restricts Verify to some of the blocks.
struct ScrubOptions {
  // Share of the blocks that are checked, in hundredths of a percent, 1 to
  // 10,000. The blocks are chosen at random, and the others are not read. At
  // least one block is chosen. Everything but the blocks is checked as the
  // level says, except for the hash of the file, the peeled refs and the
  // parity. Needs the level kChecksums or kObjects, no repository, and no
  // `since`.
  std::optional<uint32_t> sample;
  // Decides which blocks are chosen: with one seed, always the same blocks of
  // a file. The default is a random number.
  std::optional<uint32_t> seed;
  // Path of an older file of the same repository that was verified before and
  // is trusted since; empty for none. Objects are not hashed if they are in
  // blocks that the older file holds byte for byte under the same ids; the
  // checksums of these blocks are checked. If damage is found before objects
  // are hashed, all objects are hashed. Needs the level kObjects or
  // kConnectivity.
  std::string since = {};
  // True: of the files that the file depends on, nothing is checked; they are
  // read where objects of the file need them. Needs no `sample` and no
  // `since`.
  bool own = false;
};

// Which blocks were checked when not all of them were.
struct VerifyScope {
  uint64_t blocks = 0;          // in the file
  uint64_t blocks_checked = 0;  // as VerifyReport::level says
  // Objects in the other blocks. With ScrubOptions::sample, these blocks were
  // not read; with ScrubOptions::since, only their checksums were checked.
  uint64_t objects_left_out = 0;
  // With ScrubOptions::sample.
  std::optional<uint32_t> seed;
};

struct VerifyReport {
  VerifyLevel level = VerifyLevel::kObjects;  // that was asked for
  uint64_t file_bytes = 0;                    // size of the file
  uint64_t objects = 0;  // in the file; 0 if the structure is damaged
  // Objects that the file of a partial clone lists as promised.
  uint64_t promised_objects = 0;
  // Objects that the repository had lost when the file was made, as the file
  // lists them. They are no damage: the file is as it was made.
  std::vector<ListedLoss> lost_objects;
  uint64_t objects_verified = 0;  // decoded and hashed to their ids
  uint64_t objects_damaged = 0;   // undecodable, or with another hash
  uint64_t bytes_verified = 0;    // object content
  uint64_t files_verified = 0;    // RepositoryFiles, decoded and hashed
  // With VerifyOptions::read_source: objects of the repository that were read
  // and hash to their ids. Any other is one of the differences.
  uint64_t source_objects_verified = 0;
  // The SHA-256 of the file as its trailer states it, in hexadecimal; empty if
  // the structure is damaged. The levels from kChecksums on compute it.
  std::string file_hash;
  // The git directory of the repository that the file was compared with: an
  // absolute path without links. Empty without a comparison.
  std::string git_directory;
  // What can be stated about the file. Set by Attest alone, and only if the
  // file is undamaged.
  std::optional<FileFacts> facts;
  // One error for each damaged chunk, one for each object that cannot be read
  // or does not hash to its id (with Error::object set), and one for the file
  // hash. One damaged block can give thousands of errors. A damaged part whose
  // copy is used is here as well. The code is kIo if
  // the system could not read the part, kLimitExceeded if the part needs more
  // memory than a limit allows, and otherwise kCorrupt.
  std::vector<Error> damages;
  std::vector<Difference> differences;
  // What was left out, with ScrubOptions.
  std::optional<VerifyScope> scope;
  // The parity in the file or beside it, if there is any and `level` includes
  // kChecksums. Damaged parity is one of the damages.
  std::optional<ParityState> parity;
  // True if the file has parity that was not looked at, because the file is at
  // a URL and its parity would have to be downloaded once more.
  bool parity_skipped = false;
  // That of the files below (ConvertOptions::onto), unless ScrubOptions::own.
  struct ParityBelow {
    std::string file;
    std::optional<ParityState> parity;
    std::string stale;  // as `stale_parity`
  };
  std::vector<ParityBelow> parity_below;
  // The path of parity beside the file that was made for another version of the
  // file, and is of no use; empty if there is none. That is no damage.
  std::string stale_parity;
  // Differences that VerifyOptions::allow_newer accepted.
  MovedOn moved_on;
  // What the repository has besides and the file does not hold; for people.
  // Empty without a comparison, and with VerifyOptions::allow_newer, which does
  // not compare files.
  std::vector<std::string> left_out;
  // Alternates of the repository that do not exist. An object that only such an
  // alternate has counts as not in the repository.
  std::vector<std::string> missing_alternates;
  std::vector<PhaseTime> phases;  // in the order they ran

  bool ok() const { return damages.empty() && differences.empty(); }
};

// Verifies the file at `path` up to `options.level`. If `repository` is not
// empty, Verify also compares the ids, types and sizes of all objects, the
// refs, HEAD, the shallow boundaries and the files with that repository. If
// both have commits, and none in common, that is the only difference.
//
// Damage is reported in VerifyReport::damages and is not an error of the call.
// If the structure of the file is damaged, the report has only the first
// finding and no comparison. Connectivity is checked only if no damage was
// found before; otherwise `phases` lacks Phase::kCheckingConnectivity. If
// damage is found before objects are hashed, ScrubOptions::since changes
// nothing: all objects are hashed.
//
// Promised objects are neither damage nor, in a repository that lacks them too,
// differences. An object that the repository has and the file only promises is
// missing from the file. The lists of promised objects are not compared. The
// same is true of objects that the file lists as lost; a damaged object of the
// repository counts as one that the repository lacks, if the file lists it.
//
// Errors: kNotFound; kInvalidArgument for something that is not a regular file;
// kUnsupported for a file that is not a .zpack file or has a newer format;
// kLimitExceeded; kIo; kInterrupted; kOutOfMemory. With a repository: the
// errors of Convert for finding, opening and reading a repository.
Result<VerifyReport> Verify(const std::string& path,
                            const std::string& repository,
                            const VerifyOptions& options);

// As Verify, of some of the blocks. VerifyReport::scope says which. Errors as
// Verify; also kInvalidArgument for options that exclude each other, or if
// ScrubOptions::since is the file of another repository, and
// kCorrupt if the structure of ScrubOptions::since is damaged.
Result<VerifyReport> Scrub(const std::string& path,
                           const std::string& repository,
                           const VerifyOptions& options,
                           const ScrubOptions& scrub);

// As Scrub, and also sets VerifyReport::facts, which costs one SHA-256 over the
// file. The level must be kChecksums or a higher one, and there must be no
// ScrubOptions::sample. Errors as Scrub.
Result<VerifyReport> Attest(const std::string& path,
                            const std::string& repository,
                            const VerifyOptions& options,
                            const ScrubOptions& scrub);

}  // namespace zpack
