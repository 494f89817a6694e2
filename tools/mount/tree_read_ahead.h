// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Whoever lists a directory often lists those in it next: a thread reads them
// meanwhile, and the sizes of their files. Any thread.

#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

#include "archive_tree.h"
#include "place.h"

namespace zpack::mount {

class TreeReadAhead {
 public:
  // `tree` must outlive this object.
  explicit TreeReadAhead(const ArchiveTree& tree);
  // Waits for the directory that is being read.
  ~TreeReadAhead();
  TreeReadAhead(const TreeReadAhead&) = delete;
  TreeReadAhead& operator=(const TreeReadAhead&) = delete;

  // The directories in `directory`, whose entries are `listing`, will be read.
  // Does nothing for other directories than those of commits.
  void Expect(const Place& directory, const DirectoryListing& listing);

 private:
  void Run(const std::stop_token& stop);

  const ArchiveTree& tree_;
  std::mutex mutex_;  // guards expected_
  std::condition_variable_any changed_;
  std::deque<Place> expected_;  // those that were expected last come first
  std::jthread thread_;
};

}  // namespace zpack::mount
