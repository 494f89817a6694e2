// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The blocks and the index of a chain of files, as if it were one file.
// Functions without state; any thread.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reader/derived_index.h"
#include "reader/file_blocks.h"
#include "reader/single_file.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// A chain of files, the first one first, each the file below the next. Archives
// may share files.
using OpenFiles = std::vector<std::shared_ptr<const SingleFile>>;
using FileChain = std::span<const std::shared_ptr<const SingleFile>>;

// True if `path` is one of the files: writing it would leave those that depend
// on it without it.
bool IsAmong(FileChain files, const std::string& path);

// The refs of all files together. kCorrupt if the changes of a file do not fit
// those below it; the result is not compared with the digests.
Result<RefsSnapshot> RefsOf(FileChain files);

// The blocks of all files. The files must outlive what is made of them.
FileBlocks::Parts JoinBlocks(FileChain files);

// The digest of all ids of the files in the order of their numbers, as a file
// that depends on them states it. Errors are those of ReadJoinedIndex. If the
// digest that a file states of its own ids is damaged, the ids are those that
// the objects have, which the caller compares.
Result<format::Digest> JoinedIdsDigest(FileChain files,
                                       const ReadOptions& options);

// The index of the files below `number`, whose objects are those before it in
// `index`.
FileIndex IndexBelow(const FileIndex& index, ObjectNumber number);

// The index of all files. Ids that the first file leaves out come from the
// cache, or from decoding everything; `derivation` then says what was found, if
// it is not null. kCorrupt if two files have the same object, or if nothing
// proves derived ids; else the errors of SingleFile::ReadIndexChunks and of
// DeriveIndex.
Result<FileIndex> ReadJoinedIndex(
    FileChain files, const ReadOptions& options,
    std::optional<Derivation>* derivation = nullptr);

}  // namespace zpack
