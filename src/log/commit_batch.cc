// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/commit_batch.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "log/commit_changes.h"

namespace zpack::log {
namespace {

// Pairs that are kept at once, but for those of a last commit of each thread.
constexpr uint64_t kMaxPairs = 200'000;

}  // namespace

CommitFiles& CommitBatch::TakeReader() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) {
    readers_.push_back(make_());
    return *readers_.back();
  }
  CommitFiles* const reader = idle_.back();
  idle_.pop_back();
  return *reader;
}

void CommitBatch::GiveBack(CommitFiles& reader) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(&reader);
}

CommitBatch::Files CommitBatch::ReadWith(CommitFiles& reader,
                                         ObjectNumber commit,
                                         bool first_parent) {
  Files files{.reader = &reader};
  const auto with =
      ParentToCompare(reader.changes().graph(), commit, first_parent);
  if (!with) {
    files.status = std::unexpected(with.error());
  } else if (with->compared) {
    files.status = reader.Read(commit, with->parent, files.pairs);
  }
  return files;
}

Result<std::vector<CommitBatch::Files>> CommitBatch::Read(
    std::span<const ObjectNumber> commits, const std::stop_token& stop) {
  // Neighbours share blocks of trees.
  const uint64_t share = std::clamp<uint64_t>(commits.size() / 8, 1, 8);
  std::vector<Files> files(commits.size());
  std::atomic<uint64_t> pairs = 0;
  const auto read = [&](uint64_t begin, uint64_t end) -> Status {
    CommitFiles& reader = TakeReader();
    for (uint64_t i = begin; i < end && (i == 0 || pairs < kMaxPairs); ++i) {
      files[i] = ReadWith(reader, commits[i], first_parent_);
      pairs += files[i].pairs.size();
    }
    GiveBack(reader);
    return {};
  };
  ZPACK_TRY(ParallelFor(threads_, stop, commits.size(), share, read));
  files.erase(std::ranges::find(files, nullptr, &Files::reader), files.end());
  return files;
}

}  // namespace zpack::log
