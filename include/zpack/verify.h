// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Proving a .zpack file intact, by itself and against its repository.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// One thing that is wrong with a file.
struct Damage {
  std::string message;  // names what and where
  ObjectId object;      // the object that is lost to it, or empty
  uint64_t offset = 0;  // in the file
  // kCorrupt, or kIo for a part that the system could not read.
  ErrorCode code = ErrorCode::kCorrupt;
};

// What an object is on either side of a comparison.
struct Difference {
  enum class Kind : uint8_t {
    kMissing,    // in the repository, not in the file
    kExtra,      // in the file, not in the repository
    kDifferent,  // in both, with another type, size or target
  };
  Kind kind = Kind::kMissing;
  std::string subject;  // an object id, a ref name, "HEAD" or "shallow <id>"
  std::string message;
};

struct VerifyReport {
  VerifyLevel level = VerifyLevel::kObjects;
  uint64_t objects = 0;           // in the file
  uint64_t objects_verified = 0;  // decoded and hashed to their id
  uint64_t bytes_verified = 0;    // of object content
  // Of the repository compared with: an absolute path without links, or empty.
  std::string git_directory;
  std::vector<Damage> damages;
  std::vector<Difference> differences;
  // Differences that VerifyOptions::allow_newer accepted.
  MovedOn moved_on;
  // Alternates of the repository that do not exist. What is only in them counts
  // as not in the repository.
  std::vector<std::string> missing_alternates;
  std::vector<PhaseTime> phases;  // in the order they ran

  bool ok() const { return damages.empty() && differences.empty(); }
};

// Verifies the file at `path` up to `options.level`. Damage is what the report
// is for and no error; errors are kIo and kNotFound, kUnsupported for a file
// of another kind or of a newer format, kLimitExceeded, kInterrupted.
//
// When `repository` is not empty, also compares ids, types and sizes of all
// objects, refs, HEAD and shallow boundaries with that repository.
Result<VerifyReport> Verify(const std::string& path,
                            const std::string& repository,
                            const VerifyOptions& options);

}  // namespace zpack
