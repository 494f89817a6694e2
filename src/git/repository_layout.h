// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What is found by looking at a repository's files, because libgit2 does not
// tell: alternates that are gone, refs it would skip, shallow boundaries, pack
// sizes. Functions without state; any thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// The lines of the file `path`; none when nothing has that name.
Result<std::vector<std::string>> ReadLines(const std::string& path);

// Every file below `root` that Git would look at, sorted; it follows links to
// directories. `root` and the results are relative to `base`. Skips names that
// start with '.' or end with '.lock', as Git does. kIo when a directory cannot
// be read.
Result<std::vector<std::string>> ListFiles(const std::string& base,
                                           const std::string& root);

struct ObjectDirectories {
  // The repository's own first, then every alternate, nested ones too; each
  // once, without links.
  std::vector<std::string> found;
  // Alternates that do not exist, each once, as they are named.
  std::vector<std::string> missing;
};

// The object directories of a repository. kSourceCorrupt when its own does not
// exist or alternates are nested deeper than Git follows them; kIo when one
// cannot be looked at.
Result<ObjectDirectories> ListObjectDirectories(
    const std::string& common_directory);

// Sum of the sizes of packs and pack indexes in `object_directories`, as far as
// these can be read.
uint64_t PackedFileBytes(const std::vector<std::string>& object_directories);

// True when a pack was fetched with a filter, so that objects may be missing
// on purpose. kIo when a directory cannot be read.
Result<bool> HasPromisorPack(
    const std::vector<std::string>& object_directories);

// Names of all loose ref files below `directory`, e.g. "refs/heads/main",
// sorted. Errors as ListFiles.
Result<std::vector<std::string>> ListLooseRefNames(
    const std::string& directory);

// True for refs that each worktree has for itself (gitglossary(7)).
bool IsPerWorktreeRef(std::string_view name);

// The loose ref `name` below `directory`, "HEAD" too, as Git reads it: an id,
// "ref: " and a name, or a symbolic link to a name. Not peeled; nothing when
// there is no such file. kSourceCorrupt when it is none of these.
Result<std::optional<Ref>> ReadLooseRef(const std::string& directory,
                                        const std::string& name);

// The ids in `<common_directory>/shallow`, sorted; none when there is no such
// file. kSourceCorrupt for a line that is not an id.
Result<std::vector<ObjectId>> ReadShallow(const std::string& common_directory);

}  // namespace zpack
