// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks an open file, level by level. Each function reports all damage it
// finds in `report`. It returns an error only if it cannot continue:
// kInterrupted, or kIo while reading tables.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/hash.h"
#include "reader/archive_file.h"
#include "reader/file_blocks.h"
#include "zpack/options.h"
#include "zpack/verify.h"

namespace zpack {

// What VerifyArchive checks. VerifyOptions and ScrubOptions describe
// the values.
struct VerifyPlan {
  VerifyLevel level = VerifyLevel::kObjects;
  std::optional<uint32_t> sample = std::nullopt;
  uint32_t seed = 0;
  const ArchiveFile* older = nullptr;  // ScrubOptions::since
  // True: the files that the archive depends on are not read, except for what
  // the objects of the last file need of them.
  bool own = false;
  // By block: objects that are not hashed, because the caller trusts them.
  std::vector<bool> trusted = {};
  // If not null, gets all bytes of the file, in order, unless a part cannot be
  // read. Needs the level kChecksums, and no sample.
  Hasher* whole_file = nullptr;
};

// Runs all checks up to `plan.level`, one level after the other, and appends
// what they find in that order. All that checks a whole file calls this
// function, so that no check is missing anywhere. REQUIRES: `archive` has
// passed kStructure (ArchiveFile::OpenStructure), and takes no ids from a
// cache.
Status VerifyArchive(const ArchiveFile& archive, const VerifyPlan& plan,
                     const RunOptions& run, VerifyReport& report);

// Adds damage to the report, unless it is there.
void AddUnlessKnown(const Error& damage, VerifyReport& report);

// What VerifyChecksums reads.
struct ChecksumScope {
  // By block: true if it is not read. Its file then has no file hash.
  std::vector<bool> left_out = {};
  bool own = false;  // as in VerifyPlan
};

// Checks the checksums of all chunks, the hash of each file, that the files
// belong together, and, unless ids are derived, the content digest.
// `whole_file` is as in VerifyPlan.
Status VerifyChecksums(const ArchiveFile& archive, const ChecksumScope& scope,
                       const RunOptions& run, VerifyReport& report,
                       Hasher* whole_file = nullptr);

// Checks the structure, all checksums and the hash of one file, and its content
// digest if it has the ids of all objects. Nothing of files below is read.
Status VerifySingleFile(const std::shared_ptr<const SingleFile>& file,
                        const RunOptions& run, VerifyReport& report);

// Checks the digest of all objects in the trailer. REQUIRES: the index is
// loaded.
void CheckContentDigest(const ArchiveFile& archive, VerifyReport& report);

// For a file that leaves ids out: derives them, which decodes and hashes every
// object.
Status VerifyDerivedIds(const ArchiveFile& archive, VerifyReport& report);

// Checks that the copies of header, refs and tables are those of the originals.
// REQUIRES: no chunk is damaged.
Status VerifyCopies(const SingleFile& file, VerifyReport& report);

// Checks that every object decodes and hashes to its id. Skips blocks that
// `trusted`, by block, marks. REQUIRES: the index is loaded.
Status VerifyObjects(const FileBlocks& file, const std::vector<bool>& trusted,
                     const RunOptions& run, VerifyReport& report);

// Checks that the peeled value of every ref is the object that its tag points
// at. REQUIRES: the objects have been verified.
Status VerifyPeeledRefs(const ArchiveFile& archive, const std::stop_token& stop,
                        VerifyReport& report);

// Checks that every file of the repository decodes and has its hash.
Status VerifyFiles(const ArchiveFile& archive, const std::stop_token& stop,
                   VerifyReport& report);

// Checks that everything reachable from HEAD and refs is in the file, except
// promised and lost objects and the parents of shallow commits. REQUIRES: the
// objects have been verified.
Status VerifyConnectivity(const ArchiveFile& archive, const RunOptions& run,
                          VerifyReport& report);

}  // namespace zpack
