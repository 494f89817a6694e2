// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of several commits on several threads. Thread-compatible.

#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "log/commit_files.h"
#include "log/file_pair.h"
#include "zpack/result.h"

namespace zpack::log {

class CommitBatch {
 public:
  using MakeReader = std::function<std::unique_ptr<CommitFiles>()>;

  // Each of at most `threads` threads has a reader, which `make` makes.
  CommitBatch(unsigned threads, bool first_parent, MakeReader make)
      : threads_(threads),
        first_parent_(first_parent),
        make_(std::move(make)) {}

  // The files of a commit; none for a merge that is not compared. `status` is
  // that of CommitFiles::Read.
  struct Files {
    CommitFiles* reader = nullptr;  // knows the objects of the pairs
    std::vector<FilePair> pairs = {};
    Status status = {};
  };
  static Files ReadWith(CommitFiles& reader, ObjectNumber commit,
                        bool first_parent);
  // Those of the first commits: of all, unless they have very many files, and
  // of one at least. kInterrupted. REQUIRES: there is a commit.
  Result<std::vector<Files>> Read(std::span<const ObjectNumber> commits,
                                  const std::stop_token& stop);

 private:
  // A reader that no thread uses.
  CommitFiles& TakeReader();
  void GiveBack(CommitFiles& reader);

  const unsigned threads_;
  const bool first_parent_;
  const MakeReader make_;
  std::mutex mutex_;  // guards the lists below
  std::vector<std::unique_ptr<CommitFiles>> readers_;
  std::vector<CommitFiles*> idle_;
};

}  // namespace zpack::log
