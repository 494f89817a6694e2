// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Splits a commit into parts, and makes the commit from the parts (FORMAT.md,
// "Commits"). Pure.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "zpack/object_id.h"

namespace zpack::format {

// An author or committer line without its first word.
struct CommitPerson {
  std::string_view identity;  // up to and including the last '>'
  int64_t time = 0;           // seconds since 1970
  std::string_view time_zone;
};

// The views point into the commit that was split.
struct CommitText {
  ObjectId tree;
  std::vector<ObjectId> parents;
  CommitPerson author;
  CommitPerson committer;
  ByteView headers;  // lines after the committer, with line feeds
  ByteView message;  // the rest: an empty line and the text
};

// Appends the commit that `text` stands for.
void AppendCommit(const CommitText& text, Bytes& out);

// True if SplitCommit splits the result of AppendCommit into the same parts, so
// that a commit has only one form in columns. Ids and times are always
// restored; FORMAT.md, "Commits", has the rules for the other parts. Does not
// check for zero bytes.
bool IsSplit(const CommitText& text);

// The first reason why a commit cannot be stored in columns.
enum class CommitFlaw : uint8_t {
  kNone,
  kTree,       // does not begin with a line 'tree' and an id
  kParent,     // a line 'parent' without an id
  kAuthor,     // no author line with identity, time and zone
  kCommitter,  // no such committer line
  kTime,       // not the shortest form of a 64-bit number
  kZeroByte,   // in author or committer
  kIdInCapitals,
};

// A short description for messages.
std::string_view FlawName(CommitFlaw flaw);

// Splits `content` into `text`. Returns kNone if and only if AppendCommit
// restores exactly the bytes of `content`, and author and committer have no
// zero byte.
CommitFlaw SplitCommit(ByteView content, ObjectFormat format, CommitText& text);

}  // namespace zpack::format
