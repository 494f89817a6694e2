// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The file 'objects/info/alternates' (gitrepository-layout(5)). A function
// without state; any thread.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zpack {

// The paths that the file lists, in its order, as Git reads them: one on each
// line, without comments; quoted as in C or plain. As Git does, ignores all
// that follows a zero byte. No path is empty.
std::vector<std::string> ParseAlternates(std::string_view text);

}  // namespace zpack
