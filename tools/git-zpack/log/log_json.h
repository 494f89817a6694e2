// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A commit as JSON. Thread-compatible.

#pragma once

#include <nlohmann/json.hpp>

#include "log/log_look.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::cli {

// Errors: those of DateText.
Result<nlohmann::ordered_json> CommitToJson(const LoggedCommit& commit,
                                            const LogLook& look,
                                            const LogSources& sources);

}  // namespace zpack::cli
