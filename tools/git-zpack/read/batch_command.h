// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines that 'cat-file --batch-command' reads, as in git-cat-file(1).
// A function without state; any thread.

#pragma once

#include <cstdint>
#include <string_view>

#include "zpack/result.h"

namespace zpack::cli {

struct BatchCommand {
  enum class Kind : uint8_t { kContents, kInfo, kFlush };

  Kind kind = Kind::kFlush;
  std::string_view object;  // part of the line; empty for kFlush
};

// Errors: kInvalidArgument, with Git's words.
Result<BatchCommand> ParseBatchCommand(std::string_view line);

}  // namespace zpack::cli
