// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters of functions that visit many things. As thread-safe as the
// function that a Visitor is made of.

#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "zpack/result.h"
#include "zpack/visit.h"

// Calls the Visitor `expr` and returns from the enclosing function on an error
// or on Visit::kStop, which becomes `stopped`.
#define ZPACK_VISIT(expr, stopped)                                 \
  do {                                                             \
    const auto zpack_visit = (expr);                               \
    if (!zpack_visit) return std::unexpected(zpack_visit.error()); \
    if (*zpack_visit == Visit::kStop) return stopped;              \
  } while (false)

namespace zpack {

// Made of a function that returns Result<Visit>, or of one that returns Status
// and therefore never stops. An error is never used to end a visit early.
template <typename... Args>
class Visitor {
 public:
  template <typename Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, Visitor>)
  // Implicit, because callers pass lambdas.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Visitor(Function function) {
    if constexpr (std::is_same_v<std::invoke_result_t<Function&, Args...>,
                                 Status>) {
      visit_ = [function = std::move(function)](
                   Args... args) mutable -> Result<Visit> {
        const Status visited = function(std::forward<Args>(args)...);
        if (!visited) return std::unexpected(visited.error());
        return Visit::kContinue;
      };
    } else {
      visit_ = std::move(function);
    }
  }

  Result<Visit> operator()(Args... args) const {
    return visit_(std::forward<Args>(args)...);
  }

 private:
  std::function<Result<Visit>(Args...)> visit_;
};

}  // namespace zpack
