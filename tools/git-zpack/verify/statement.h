// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements about a .zpack file: in-toto Statements, version 1. 'attest' makes
// them, and 'verify --attestation' compares a file with one. The man page of
// 'attest' describes the predicate. Thread-compatible.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "zpack/options.h"
#include "zpack/verify.h"

namespace zpack::cli {

// What the predicate is about and means: it names this version of its fields.
inline constexpr const char* kPredicateType =
    "https://users.invalid/git-zpack/attest/v1";

// How the file was compared with its repository.
enum class SourceComparison : uint8_t {
  kNone,
  kCompared,  // all but the contents of objects
  kRead,      // the contents, too
};

// Of a comparison with a repository whose objects were read or not.
inline SourceComparison ComparisonWith(ReadSource read) {
  return read == ReadSource::kYes ? SourceComparison::kRead
                                  : SourceComparison::kCompared;
}

// How a file was verified before a statement was made.
struct Verification {
  VerifyLevel level = VerifyLevel::kObjects;
  SourceComparison source = SourceComparison::kNone;
  // Seconds since 1970; nothing to leave the time out.
  std::optional<int64_t> time = std::nullopt;
};

// The name of a subject: the last part of a path or URL; empty for standard
// input.
std::string SubjectName(const std::string& file);

nlohmann::ordered_json MakeStatement(const std::string& subject,
                                     const FileFacts& facts,
                                     const Verification& verification);

// What came of the comparison of a file with a statement.
struct StatementResult {
  std::string path = {};     // of the statement
  bool compared = false;     // false if the file is damaged
  uint64_t differences = 0;  // in VerifyReport::differences
  // Fields that say what does not follow from the file, at most kMaxListed.
  std::vector<std::string> not_checked = {};

  static constexpr size_t kMaxListed = 20;
};

// A statement that somebody else made.
class Statement {
 public:
  // Reads the file `path`, which may be anybody's. Throws CommandFailure:
  // kNotFound; kIo; kLimitExceeded for a file that is too long or too deeply
  // nested; kUnsupported for a statement of another kind; kInvalidArgument for
  // anything else that is not a statement.
  static Statement Read(const std::string& path);
  // The same of the text of the file.
  static Statement Parse(const std::string& text, const std::string& path);

  // The level of the verification that the statement is about.
  VerifyLevel level() const { return verification_.level; }

  // Compares what the report says of the file `file`, and adds differences to
  // the report. `compared` is what has been compared with the repository.
  StatementResult Compare(const std::string& file, SourceComparison compared,
                          VerifyReport& report) const;

 private:
  std::string path_;
  nlohmann::json document_;
  Verification verification_;
};

}  // namespace zpack::cli
