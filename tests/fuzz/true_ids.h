// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files whose ids are the hashes of what they hold. Pure.

#pragma once

#include <optional>

#include "base/bytes.h"

namespace zpack::testing {

// `file` with the id of every object that decodes made its true one, in the
// index and in refs; trees and commits that name it by number follow. So a file
// that was edited gets beyond the comparison of hashes. Nothing where no id
// changes, or the file cannot be opened.
std::optional<Bytes> WithTrueIds(const Bytes& file);

}  // namespace zpack::testing
