// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/delayed_visits.h"

#include "base/error.h"

namespace zpack {

Result<Visit> DelayedVisits::Add(ObjectNumber number, ObjectType type,
                                 std::string_view name) {
  Object& object = At(added_);
  object.number = number;
  object.type = type;
  object.name = name;
  graph_.PrefetchRank(number);
  ++added_;
  // By now, the rank that says where the id is has arrived.
  const size_t half = ring_.size() / 2;
  if (added_ > half) graph_.PrefetchId(At(added_ - 1 - half).number);
  return added_ - visited_ == ring_.size() ? VisitNext() : Visit::kContinue;
}

Result<Visit> DelayedVisits::VisitNext() {
  const Object& object = At(visited_++);
  Result<Visit> next =
      visit_({graph_.id(object.number), object.type, object.name});
  ended_ = !next || *next == Visit::kStop;
  return next;
}

Result<Visit> DelayedVisits::Flush() {
  while (!ended_ && visited_ < added_) {
    ZPACK_TRY(CheckStop(stop_));
    ZPACK_VISIT(VisitNext(), Visit::kStop);
  }
  return Visit::kContinue;
}

}  // namespace zpack
