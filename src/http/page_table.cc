// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "http/page_table.h"

#include <utility>

namespace zpack {

PageTable::Found PageTable::FindOrClaim(uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (Page page = pages_.Find(number)) {
    return {State::kPresent, std::move(page)};
  }
  const bool claimed = loading_.insert(number).second;
  return {claimed ? State::kClaimed : State::kLoading, nullptr};
}

bool PageTable::Claim(uint64_t number) {
  return FindOrClaim(number).state == State::kClaimed;
}

void PageTable::Put(uint64_t number, Page page) {
  const std::lock_guard lock(mutex_);
  const uint64_t bytes = page->size();
  pages_.Insert(number, std::move(page), bytes);
  loading_.erase(number);
  loaded_.notify_all();
}

void PageTable::Drop(uint64_t number) {
  const std::lock_guard lock(mutex_);
  pages_.Remove(number);
}

void PageTable::Release(uint64_t number) {
  const std::lock_guard lock(mutex_);
  loading_.erase(number);
  loaded_.notify_all();
}

void PageTable::Wait(uint64_t number, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  loaded_.wait(lock, stop, [&] { return !loading_.contains(number); });
}

}  // namespace zpack
