// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Versions of the third-party libraries of this layer, as they are at run time.
// Any thread.

#pragma once

#include <string>

namespace zpack {

std::string FmtVersion();
std::string XxhashVersion();
std::string OpensslVersion();

}  // namespace zpack
