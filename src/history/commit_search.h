// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds a commit by its message, as ':/<text>' and '<rev>^{/<text>}' do in
// gitrevisions(7). Any thread.

#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "reader/archive_file.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Commits that HEAD and refs name, in the order in which Git searches them.
std::vector<ObjectId> SearchStarts(const ArchiveFile& archive);

// The youngest commit that `starts` reach and whose message matches `text`: a
// POSIX extended regular expression. '!-' at its start means 'does not match';
// '!!' at its start stands for '!'. `read` returns the content of a commit.
//
// Errors: kNotFound if there is none; kInvalidArgument if `text` is not a
// regular expression; those of WalkRevisions and of `read`.
Result<ObjectId> FindCommitByMessage(
    const ArchiveFile& archive, const std::vector<ObjectId>& starts,
    std::string_view text,
    const std::function<Result<Bytes>(const ObjectId&)>& read);

}  // namespace zpack
