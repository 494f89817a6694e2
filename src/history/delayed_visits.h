// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Visits objects some steps after a walk has found them, in the same order.
// Their ids lie anywhere in the index, and arrive from memory meanwhile.

#pragma once

#include <array>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/index_spaces.h"
#include "base/visitor.h"
#include "history/object_graph.h"
#include "zpack/object_id.h"
#include "zpack/result.h"
#include "zpack/walk.h"

namespace zpack {

class DelayedVisits {
 public:
  // Both references must outlive this object.
  DelayedVisits(const ObjectGraph& graph,
                const Visitor<const WalkedObject&>& visit, std::stop_token stop)
      : graph_(graph), visit_(visit), stop_(std::move(stop)) {}

  // Returns what the visitor returns, if it is called.
  Result<Visit> Add(ObjectNumber number, ObjectType type,
                    std::string_view name);
  // Visits the objects that are left, unless the visitor ended the walk.
  // kInterrupted once a stop is requested.
  Result<Visit> Flush();

 private:
  struct Object {
    ObjectNumber number;
    ObjectType type = ObjectType::kCommit;
    std::string name;
  };

  // The place of an object by the count of those before it.
  Object& At(size_t count) { return ring_[count % ring_.size()]; }
  Result<Visit> VisitNext();

  const ObjectGraph& graph_;
  const Visitor<const WalkedObject&>& visit_;
  std::stop_token stop_;
  std::array<Object, 16> ring_;
  size_t added_ = 0;
  size_t visited_ = 0;
  bool ended_ = false;  // by the visitor
};

}  // namespace zpack
