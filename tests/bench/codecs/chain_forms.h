// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Histories of files as entries to be compressed: whole texts, or a text and
// deltas, each against the version before. Thread-compatible.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack::bench {

using History = std::vector<Bytes>;  // oldest first

enum class Form : uint8_t { kTexts, kOurDeltas, kLineDeltas };
inline constexpr std::array kForms = {
    std::pair{Form::kTexts, "texts"}, std::pair{Form::kOurDeltas, "our deltas"},
    std::pair{Form::kLineDeltas, "line deltas"}};

// Reads `list` (a line "<number of versions> <path>", then the id of each
// version, oldest first, and so on), and the objects from the only pack of
// `repository`. Errors: kInvalidArgument, those of the pack.
Result<std::vector<History>> ReadHistories(const std::string& repository,
                                           const std::string& list);

// The entries of a history; the first is always a whole text.
History MakeEntries(const History& texts, Form form);

// The texts again. kCorrupt.
Status RestoreTexts(const History& entries, Form form, History& texts);

}  // namespace zpack::bench
