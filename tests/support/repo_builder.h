// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds Git repositories for tests, the same bytes every time: through the git
// binary, isolated from the user's configuration, with fixed names and dates;
// and object by object, with any content at all. A git command that fails ends
// the test program. Thread-compatible.
//
// With ZPACK_TEST_OBJECT_FORMAT=sha256 in the environment, repositories have
// SHA-256 objects, and so has everything that the functions below compute.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/subprocess.h"
#include "zpack/object_id.h"

namespace zpack::testing {

// The object format of repositories in this process; SHA-1 unless the
// environment says otherwise.
ObjectFormat TestFormat();
// Hexadecimal digits of an id in that format.
size_t IdDigits();
// The id that consists of `digit`.
std::string FakeId(char digit);

// Reproducible bytes that do not compress.
std::string RandomBytes(uint64_t seed, size_t size);

// The hexadecimal id that Git gives an object, whatever `type` says.
std::string HashObject(std::string_view type, std::string_view content);

// Hashes of `content`, hexadecimal.
std::string Sha1(std::string_view content);
std::string Sha256(std::string_view content);
// The name below the git directory of an object of Git LFS with this content.
std::string LfsName(std::string_view content);

std::string HexToRaw(std::string_view hex);
std::string RawToHex(std::string_view raw);

// One zlib stream.
std::string ZlibCompress(std::string_view raw);

// The bytes of one entry of a tree object. `mode` is written as it is.
std::string TreeEntryBytes(std::string_view mode, std::string_view name,
                           std::string_view id_hex);

// The bytes of a commit object.
struct CommitFields {
  std::string tree;  // the empty tree's id when empty
  std::vector<std::string> parents;
  uint64_t time = 1700000000;
  std::string extra_headers;  // whole lines, after the committer
  std::string message = "message\n";
};
std::string CommitBytes(const CommitFields& fields);

// Ids of the empty tree and the empty blob.
inline const char* const kEmptyTree =
    TestFormat() == ObjectFormat::kSha1
        ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        : "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
inline const char* const kEmptyBlob =
    TestFormat() == ObjectFormat::kSha1
        ? "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        : "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";

class RepoBuilder {
 public:
  enum class Kind { kBare, kWorkTree };

  // Makes an empty repository at `path`, whose HEAD is refs/heads/main. Objects
  // are in TestFormat().
  explicit RepoBuilder(std::string path, Kind kind = Kind::kBare);
  // Takes the repository that is already at `path`, e.g. a clone.
  static RepoBuilder Existing(std::string path);

  const std::string& path() const { return path_; }
  // The directory that holds HEAD, objects and refs.
  const std::string& git_dir() const { return git_dir_; }

  // Runs 'git <arguments>' in the repository. Git returns its standard output
  // without the last line feed; TryGit everything, whatever happened.
  std::string Git(const std::vector<std::string>& arguments,
                  const std::string& input = "") const;
  ProcessResult TryGit(const std::vector<std::string>& arguments,
                       const std::string& input = "") const;

  // Stores a loose object of any type and content, valid or not, and returns
  // its id.
  std::string WriteObject(std::string_view type,
                          std::string_view content) const;
  std::string WriteBlob(std::string_view content) const {
    return WriteObject("blob", content);
  }
  std::string WriteTree(std::string_view content) const {
    return WriteObject("tree", content);
  }
  std::string WriteCommit(const CommitFields& fields) const {
    return WriteObject("commit", CommitBytes(fields));
  }
  // An annotated tag object, without a ref.
  std::string WriteTag(std::string_view target, std::string_view type,
                       std::string_view name,
                       std::string_view message = "tag message\n") const;

  // The file of a loose object, whether it is there or not.
  std::string LooseObjectPath(std::string_view id_hex) const;

  // A commit whose tree holds one file 'file' with `content`.
  std::string SimpleCommit(const std::string& content,
                           const std::vector<std::string>& parents = {},
                           uint64_t time = 1700000000) const;
  // `count` such commits in a row, with a few files and directories that
  // change; returns the last one. Points refs/heads/main at it.
  std::string History(int count) const;

  // Points `name` at an object without checking either.
  void WriteLooseRef(std::string_view name, std::string_view content) const;
  void SetRef(std::string_view name, std::string_view id_hex) const;

  // Moves every object into one pack, unreachable ones too.
  void PackAll() const;

 private:
  RepoBuilder() = default;

  std::string path_;
  std::string git_dir_;
};

// 'git <arguments>' in `directory`, isolated as RepoBuilder does it.
ProcessResult RunGit(const std::vector<std::string>& arguments,
                     const std::string& directory,
                     const std::string& input = "");

// Whether 'git' is version 2.`minor` or later.
bool GitIsSince(int minor);

}  // namespace zpack::testing
