// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be stated about a .zpack file and checked later: 'git zpack attest'
// makes a statement of these values. Plain values; thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zpack/object_id.h"

namespace zpack {

// All hashes are in hexadecimal. The values follow from the bytes of the file
// alone.
struct FileFacts {
  uint64_t file_bytes = 0;     // size of the file
  std::string sha256;          // of all bytes of the file, as sha256sum prints
  std::string file_hash;       // as the trailer states it
  std::string content_digest;  // SHA-256 of all object ids, in order
  uint16_t format_major = 0;
  uint16_t format_minor = 0;
  std::vector<std::string> required_features;
  std::vector<std::string> optional_features;
  ObjectFormat object_format = ObjectFormat::kSha1;
  uint64_t commits = 0;
  uint64_t trees = 0;
  uint64_t blobs = 0;
  uint64_t tags = 0;
  uint64_t promised_objects = 0;  // that the file of a partial clone lacks
  uint64_t lost_objects = 0;      // that the repository had lost
  uint64_t refs = 0;              // symbolic refs included, HEAD excluded
  // The SHA-256 of a line with id and name for each ref that leads to an
  // object, without HEAD:
  // `git for-each-ref --format='%(objectname) %(refname)' | sha256sum`
  std::string refs_sha256;
  uint64_t shallow_boundaries = 0;  // RefsSnapshot::shallow
  // What a symbolic HEAD points at; empty for a detached HEAD.
  std::string head_symref;
  // The object that HEAD leads to; empty if HEAD is unborn.
  ObjectId head_target;
  // The Software Heritage identifier (SWHID) of the snapshot: HEAD and all
  // refs, with the types of their targets. A ref whose target is not in the
  // file is dangling. Empty for SHA-256, for which SWHIDs are not defined.
  std::string snapshot_swhid;
  // The SWHID of the commit that HEAD leads to. Empty if there is none in the
  // file, and for SHA-256.
  std::string revision_swhid;
};

}  // namespace zpack
