// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The elements of 'ls-tree --format' (git-ls-tree(1), "FIELD NAMES"). Pure.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "zpack/result.h"

namespace zpack::cli {

// The text of a name, or nothing if there is no such name.
using TreeFormatValue =
    std::function<Result<std::optional<std::string>>(std::string_view name)>;

// Returns `format` with '%%', '%n', '%x' and two hexadecimal digits, and each
// '%(<name>)' replaced. Errors: kInvalidArgument for what begins with '%' and
// is none of these, in the words of Git; those of `value`.
Result<std::string> ExpandTreeFormat(std::string_view format,
                                     const TreeFormatValue& value);

}  // namespace zpack::cli
