// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Shows manual pages, as 'git help' does. Any thread.

#pragma once

#include <string>

namespace zpack::cli {

// Shows the manual page `page` of section 1 with man(1), and waits until man
// ends. Returns false, and shows nothing, if there is no such page or no man.
bool ShowManualPage(const std::string& page);

}  // namespace zpack::cli
