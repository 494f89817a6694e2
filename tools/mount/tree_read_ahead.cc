// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "tree_read_ahead.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>
#include <vector>

namespace zpack::mount {
namespace {

// More than that is dropped, so that listing large trees costs little.
constexpr size_t kMaxExpected = 512;

}  // namespace

TreeReadAhead::TreeReadAhead(const ArchiveTree& tree) : tree_(tree) {}

TreeReadAhead::~TreeReadAhead() {
  thread_.request_stop();
  changed_.notify_all();
}

void TreeReadAhead::Expect(const Place& directory,
                           const DirectoryListing& listing) {
  if (directory.kind != PlaceKind::kTree) return;
  std::vector<Place> places;
  for (const ListedEntry& entry : listing.entries()) {
    if (places.size() == kMaxExpected) break;
    Place place = ArchiveTree::PlaceOf(directory, entry);
    if (place.kind == PlaceKind::kTree) places.push_back(std::move(place));
  }
  if (places.empty()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  expected_.insert(expected_.begin(), places.begin(), places.end());
  if (expected_.size() > kMaxExpected) expected_.resize(kMaxExpected);
  // Not before the process has gone to the background, which would lose the
  // thread.
  if (!thread_.joinable()) {
    try {
      thread_ =
          std::jthread([this](const std::stop_token& stop) { Run(stop); });
    } catch (const std::system_error&) {
      expected_.clear();  // without a thread, everything takes longer
    }
  }
  changed_.notify_all();
}

void TreeReadAhead::Run(const std::stop_token& stop) {
  while (true) {
    Place place;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return !expected_.empty(); })) {
        return;
      }
      place = std::move(expected_.front());
      expected_.pop_front();
    }
    try {
      const auto listing = tree_.List(place);
      if (!listing) continue;  // whoever lists it learns why
      for (const ListedEntry& entry : (*listing)->entries()) {
        if (stop.stop_requested()) return;
        (void)tree_.SizeOf(ArchiveTree::PlaceOf(place, entry));
      }
    } catch (const std::exception&) {
      continue;  // out of memory: only the time is lost
    }
  }
}

}  // namespace zpack::mount
