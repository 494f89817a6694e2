// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/merged_cursor.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack::reftable {

template <typename Record>
MergedCursor<Record>::MergedCursor(
    std::vector<std::shared_ptr<const Table>> tables, uint64_t memory_limit)
    : tables_(std::move(tables)),
      loader_(std::make_unique<BlockLoader>(memory_limit)) {
  cursors_.reserve(tables_.size());
  for (const auto& table : tables_) cursors_.emplace_back(*table, *loader_);
}

template <typename Record>
bool MergedCursor<Record>::IsAfter(size_t a, size_t b) const {
  const int order = cursors_[a].key().compare(cursors_[b].key());
  return order != 0 ? order > 0 : a < b;
}

template <typename Record>
Status MergedCursor<Record>::Start() {
  started_ = true;
  for (size_t i = 0; i < cursors_.size(); ++i) ZPACK_TRY(Advance(i));
  return {};
}

template <typename Record>
Status MergedCursor<Record>::Advance(size_t index) {
  ZPACK_ASSIGN_OR_RETURN(const bool found, cursors_[index].Next());
  if (!found) return {};
  heap_.push_back(index);
  std::ranges::push_heap(heap_,
                         [this](size_t a, size_t b) { return IsAfter(a, b); });
  return {};
}

template <typename Record>
size_t MergedCursor<Record>::Pop() {
  std::ranges::pop_heap(heap_,
                        [this](size_t a, size_t b) { return IsAfter(a, b); });
  const size_t index = heap_.back();
  heap_.pop_back();
  return index;
}

template <typename Record>
Result<bool> MergedCursor<Record>::Next(Record& record) {
  if (!started_) ZPACK_TRY(Start());
  while (!heap_.empty()) {
    const size_t newest = Pop();
    record = cursors_[newest].record();
    // Older tables may have a record with the same key.
    while (!heap_.empty() &&
           cursors_[heap_.front()].key() == cursors_[newest].key()) {
      ZPACK_TRY(Advance(Pop()));
    }
    ZPACK_TRY(Advance(newest));
    if (!record.deleted()) return true;
  }
  return false;
}

template class MergedCursor<RefRecord>;
template class MergedCursor<LogRecord>;

}  // namespace zpack::reftable
