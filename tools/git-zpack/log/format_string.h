// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The placeholders of '--format' (git-log(1), "PRETTY FORMATS").
// Thread-compatible.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "log/log_commit_text.h"
#include "log/log_look.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::cli {

// The first placeholder that Git knows and ExpandFormat does not.
std::optional<std::string> UnsupportedPlaceholder(std::string_view format);

// Whether `format` has one of the placeholders `letters`.
bool FormatUses(std::string_view format, std::string_view letters);

// LogLook::format with the values of `commit`, whose text is `text`. Errors:
// kInvalidArgument for a color that does not exist; those of ShortIds,
// CommitNotes and DateText.
Result<std::string> ExpandFormat(const LogLook& look, const LogSources& sources,
                                 const LoggedCommit& commit,
                                 const CommitText& text);

}  // namespace zpack::cli
