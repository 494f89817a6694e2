// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chunk 'REFS': HEAD, refs and shallow boundaries, all of them or as changes
// from those of the file below (FORMAT.md, "Refs" and "Files below"). Pure.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "format/trailer.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack::format {

// REQUIRES: the invariants stated in RefsSnapshot.
void Encode(const RefsSnapshot& refs, Bytes& out);

// Decodes the payload of 'REFS'. kCorrupt for anything that a writer does not
// write, such as an invalid ref name.
Result<RefsSnapshot> DecodeRefs(ByteView payload, ObjectFormat format);

// The file that a file depends on. It may itself depend on a file.
struct FileBelow {
  uint32_t object_count = 0;  // of it and of all files below it
  Digest ids_digest{};  // of all their ids in the order of numbers (IdsDigest)
  Digest file_hash{};   // of the file when the dependent file was written
  std::string name;     // likewise, without directories; may have changed
};

// True for a name that a file below may have: 1 to 255 bytes, of a file in the
// same directory.
bool IsValidNameBelow(std::string_view name);

// The payload of 'REFS' in a file with the feature `backing`.
struct BackedRefs {
  FileBelow below;
  // What has changed. Everything but `refs` is complete; `refs` are those that
  // are new or different.
  RefsSnapshot changed;
  std::vector<std::string> removed;  // names of refs, ascending
  Digest digest{};  // of the payload that all refs have without a file below
};

// The changes that lead from `below` to `refs`.
BackedRefs ChangesOf(const RefsSnapshot& below, const RefsSnapshot& refs);

void Encode(const BackedRefs& refs, Bytes& out);

// kCorrupt as DecodeRefs.
Result<BackedRefs> DecodeBackedRefs(ByteView payload, ObjectFormat format);

// Turns the refs of the file below into those of the file. kCorrupt if a
// removed ref is not there.
Status Apply(const BackedRefs& changes, RefsSnapshot& refs);

// kCorrupt unless `refs` are those that `changes` lead to, and can be in one
// repository.
Status CheckApplied(const BackedRefs& changes, const RefsSnapshot& refs);

}  // namespace zpack::format
