// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a commit, and the commit from its parts (FORMAT.md, "Commits").
// Pure.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "zpack/object_id.h"

namespace zpack::format {

// An author or committer line without its first word.
struct CommitPerson {
  std::string_view identity;  // up to and with the last '>'
  int64_t time = 0;           // seconds since 1970
  std::string_view time_zone;
};

// Views point into the commit they were split from.
struct CommitText {
  ObjectId tree;
  std::vector<ObjectId> parents;
  CommitPerson author;
  CommitPerson committer;
  ByteView headers;  // lines after the committer, with their line feeds
  ByteView message;  // the rest: an empty line and the text
};

// Appends what `text` stands for.
void AppendCommit(const CommitText& text, Bytes& out);

// True when SplitCommit splits what AppendCommit makes into these parts again,
// so that a commit has one form in columns. Ids and times always come back; for
// the others FORMAT.md, "Commits", has the rules. Zero bytes are not looked at.
bool IsSplit(const CommitText& text);

// Why a commit cannot be in columns: the first thing found.
enum class CommitFlaw : uint8_t {
  kNone,
  kTree,       // no line 'tree' with an id at the front
  kParent,     // a line 'parent' without an id
  kAuthor,     // no line 'author' then, or not identity, time and time zone
  kCommitter,  // the same for 'committer'
  kTime,       // not written as a decimal number of 64 bits is
  kZeroByte,   // in author or committer
  kIdInCapitals,
};

// In a few words.
std::string_view FlawName(CommitFlaw flaw);

// Splits `content`. kNone if, and only if, AppendCommit gives exactly these
// bytes.
CommitFlaw SplitCommit(ByteView content, ObjectFormat format, CommitText& text);

}  // namespace zpack::format
