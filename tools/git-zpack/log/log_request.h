// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line of 'log' asks for. Plain values.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli.h"
#include "log/log_look.h"
#include "log/message_filter.h"
#include "zpack/log.h"

namespace zpack::cli {

struct LogRequest {
  std::string file;
  // The value of Start::refs for all refs, and HEAD.
  static constexpr std::string_view kAllRefs = "refs/";
  // A revision as the user typed it, or the beginning of the names of refs.
  struct Start {
    std::string revision = {};
    std::string refs = {};
  };
  std::vector<Start> starts;
  // Without refs, starts, objects and excluded commits.
  LogOptions log;
  std::vector<std::string> objects = {};  // of --find-object
  LogLook look;
  MessageQuery messages;
};

void AddLogOptions(po::options_description& options);

// Throws UsageError and CommandFailure.
LogRequest ParseLogRequest(const po::variables_map& values, const Io& io);

}  // namespace zpack::cli
