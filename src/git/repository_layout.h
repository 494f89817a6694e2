// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What is read from a repository's files: alternates, loose refs, shallow
// boundaries, sizes of packs. Functions without state; any thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/files/directory_listing.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// The lines of the file `path`. Empty if nothing has that name. Errors as
// ReadIfThere, with a limit of 1 GiB.
Result<std::vector<std::string>> ReadLines(const std::string& path);

struct FileListing {
  std::vector<std::string> files;  // sorted
  // Links to a directory above them, sorted. They are not followed.
  std::vector<std::string> circles;
  // Links that lead nowhere, pipes and the like, sorted. Git passes over them.
  std::vector<std::string> others;
};

// Every file below `root` that Git would read. Follows links to directories,
// except in circles: Git follows these until the names are too long. `root` and
// the results are relative to `base`. As in Git, names that begin with '.' or
// end with '.lock' are skipped. kIo if a directory cannot be read;
// kLimitExceeded if more than 1,000 directories have several names.
Result<FileListing> WalkFiles(const std::string& base, const std::string& root);

// The files and others that WalkFiles finds, sorted.
Result<std::vector<std::string>> ListFiles(const std::string& base,
                                           const std::string& root);

struct ObjectDirectories {
  // The repository's own directory first, then every direct or indirect
  // alternate. Each directory occurs once, as a path without links.
  std::vector<std::string> found;
  // Alternates that do not exist. Each occurs once, as an absolute path whose
  // last links are not resolved.
  std::vector<std::string> missing;
};

// The object directories of a repository. kSourceCorrupt if its own directory
// does not exist, or if alternates are nested so deeply that Git ignores some;
// kIo if a directory or a list of alternates cannot be read.
Result<ObjectDirectories> ListObjectDirectories(
    const std::string& common_directory);

// Sum of the sizes of packs with their indexes, reverse indexes and times in
// `object_directories`. Files that cannot be examined do not count.
uint64_t PackedFileBytes(const std::vector<std::string>& object_directories);

// True if a pack was fetched with a filter, so that objects may be missing on
// purpose. kIo if a directory cannot be read.
Result<bool> HasPromisorPack(
    const std::vector<std::string>& object_directories);

// All loose refs below `directory`, e.g. "refs/heads/main". A link to a ref
// that does not exist is a ref. A link in place of a directory of refs such as
// "refs/heads" that leads nowhere counts as one, which cannot be read: the disk
// with all its refs may be away. Errors as WalkFiles.
Result<FileListing> ListLooseRefs(const std::string& directory);

// The names that ListLooseRefs finds, sorted. With kFail also those of others,
// which ReadLooseRef refuses.
Result<std::vector<std::string>> ListLooseRefNames(const std::string& directory,
                                                   UnreadableFiles others);

// True for per-worktree refs (gitglossary(7)).
bool IsPerWorktreeRef(std::string_view name);

// The content of a loose ref, which is symbolic unless `symref_target` is
// empty.
std::string FormatLooseRef(const ObjectId& target,
                           const std::string& symref_target);

// Reads the loose ref `name` below `directory`, or "HEAD", as Git does: an id
// in `format`,
// "ref: " and a name, or a symbolic link to a name. The name is valid, unless
// such a link leads nowhere. The result is not peeled.
// Nothing if there is no such file. kSourceCorrupt for any other content; other
// errors as ReadIfThere.
Result<std::optional<Ref>> ReadLooseRef(ObjectFormat format,
                                        const std::string& directory,
                                        const std::string& name);

// The ids, in `format`, in `<common_directory>/shallow`, sorted. Empty if there
// is no such file. As in Git, anything may follow an id on its line.
// kSourceCorrupt if a line does not begin with an id; other errors as
// ReadLines.
Result<std::vector<ObjectId>> ReadShallow(ObjectFormat format,
                                          const std::string& common_directory);

}  // namespace zpack
