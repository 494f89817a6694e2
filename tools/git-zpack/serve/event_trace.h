// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// GIT_TRACE2_EVENT for a server: one line of JSON when the command starts and
// when it ends, as Git's api-trace2 describes them. Thread-compatible.

#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/trace_target.h"

namespace zpack::cli {

class EventTrace {
 public:
  // Tells that 'git-zpack <arguments>' has started. The first argument is the
  // command. Programs that this process starts learn who their parent is.
  explicit EventTrace(const std::vector<std::string>& arguments);

  // Tells that the command ended with this exit code.
  void End(int code);

 private:
  // Writes a line with what all events have, and `fields`.
  void Write(const char* event, const nlohmann::ordered_json& fields);
  // Since the start.
  double Seconds() const;

  std::string session_;
  TraceTarget target_;
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace zpack::cli
