// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the bytes of a repository or of a .zpack file are. Several threads may
// call CollectReport at once; options.h lists what they share in a process.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zpack/file_part.h"
#include "zpack/file_statistics.h"
#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/progress.h"
#include "zpack/result.h"

namespace zpack {

struct RepositoryReport {
  // Objects, the bytes of their contents, and the bytes that they take where
  // they are. In a repository, that is the entry of a pack or the loose file;
  // in a .zpack file, the estimate of FileStatistics::Share.
  struct Sum {
    uint64_t objects = 0;
    uint64_t content_bytes = 0;
    uint64_t stored_bytes = 0;
  };
  struct PerType {
    ObjectType type = ObjectType::kBlob;
    Sum sum;
  };
  // What `git count-objects -v` prints. Zero for a .zpack file.
  struct ObjectCounts {
    uint64_t loose = 0;
    uint64_t loose_kib = 0;
    uint64_t packed = 0;  // with repetitions
    uint64_t packs = 0;
    uint64_t packs_kib = 0;  // with their indexes
  };
  // The blobs in a directory and below, of all times.
  struct Directory {
    std::string name;     // without its parents; empty for the root
    uint32_t parent = 0;  // index in `directories`; the root is its own parent
    uint64_t files = 0;   // different paths
    Sum sum;
    // True for the sum of small directories and files that are not listed.
    bool rest = false;
  };
  struct Extension {
    std::string extension;  // without the dot; empty if there is none
    Sum sum;
  };
  struct Commit {
    ObjectId id;
    int64_t time = 0;     // of the committer, in seconds since 1970
    std::string subject;  // first line of the message, any bytes
  };
  struct Blob {
    ObjectId id;
    std::string path;  // where the oldest commit has the blob
    uint64_t content_bytes = 0;
    uint64_t stored_bytes = 0;
    std::optional<uint32_t> commit;  // index in `commits`: brought the blob
  };
  // The blobs of one path.
  struct File {
    std::string path;
    Sum sum;
    std::optional<uint32_t> first_commit;  // indexes in `commits`
    std::optional<uint32_t> last_commit;
  };
  // What the commits of one month brought.
  struct Month {
    int32_t year = 1970;
    uint32_t month = 1;  // 1 to 12
    uint64_t commits = 0;
    Sum sum;
  };
  // Blobs whose contents deflate and zstd do not make smaller. Only some blobs
  // of each path are read, and the others of the path are counted with them.
  struct Incompressible {
    std::string reason;  // "PNG picture", "high entropy", ...
    std::string kind;    // "media", "archive", "encrypted" or "unknown"
    uint64_t files = 0;
    Sum sum;
    double entropy = 0;  // greatest of the contents read, in bits per byte
    std::vector<std::string> examples;  // paths, the largest first
  };
  enum class Advice : uint8_t {
    kUseLfs,       // large contents in many versions that do not compress
    kUnvendor,     // archives that are better fetched when building
    kNoDelta,      // an extension for the attribute -delta
    kRepack,       // many loose objects or packs, or packs without deltas
    kUnreachable,  // objects that no commit reaches
  };
  struct Recommendation {
    Advice advice = Advice::kRepack;
    std::string subject;  // a path or an extension; may be empty
    uint64_t objects = 0;
    uint64_t bytes = 0;  // stored bytes that the advice is about
  };

  bool is_file = false;          // a .zpack file
  std::string path;              // of the file, or the git directory
  std::array<PerType, 4> types;  // in the order of kAllObjectTypes
  ObjectCounts counts;
  // Size of the .zpack file, with the files that it depends on.
  uint64_t file_bytes = 0;
  // The files that the .zpack file depends on, directly or through others, the
  // first one first.
  std::vector<FilePart> below;
  // Objects that the repository had lost when the .zpack file was made.
  uint64_t lost_objects = 0;
  uint64_t refs = 0;
  uint64_t history_commits = 0;  // commits that refs, HEAD and reflogs reach
  Sum unreachable;
  std::vector<Directory> directories;          // parents first
  std::vector<Extension> extensions;           // most stored bytes first
  std::vector<Blob> largest_blobs;             // most stored bytes first
  std::vector<File> largest_files;             // most stored bytes first
  std::vector<File> longest_histories;         // most versions first
  std::vector<Commit> commits;                 // that the lists above name
  std::vector<Month> months;                   // the oldest first
  std::vector<Incompressible> incompressible;  // most stored bytes first
  // For each blob: the number of deltas between the blob and a whole object,
  // and the bytes that a reader decodes: of a repository, the stored bytes of
  // the blob and its bases; of a file, FileStatistics::block_data.
  FileStatistics::Histogram chain_lengths;
  FileStatistics::Histogram read_costs;
  std::vector<Recommendation> advice;  // most bytes first
  // For a .zpack file, what CollectStatistics returns.
  std::optional<FileStatistics> statistics;
  std::vector<PhaseTime> phases;

  static constexpr size_t kTop = 25;
  static constexpr size_t kMaxDirectories = 3000;
};

struct ReportOptions {
  RunOptions run;
  ReadOptions read;
  Discovery discovery = Discovery::kNone;
};

// Reads the repository or the .zpack file at `path`. Reads all commits and
// trees, the headers of blobs, and a sample of the contents. Errors: those of
// Convert that concern the repository; those of CollectStatistics for a file.
Result<RepositoryReport> CollectReport(const std::string& path,
                                       const ReportOptions& options);

}  // namespace zpack
