// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The addresses that git-remote-zpack accepts. Pure.

#pragma once

#include <string>
#include <string_view>

#include "zpack/result.h"

namespace zpack::cli {

// Returns the path or URL in an address as Git hands it to a remote helper:
// - a path, which Git's users write as 'zpack::PATH', stands for itself;
// - a URL 'file:///PATH' or 'zpack:///PATH' is percent-decoded. Its host is
//   empty or 'localhost';
// - a URL 'http://HOST/PATH' or 'https://HOST/PATH' stands for itself.
//
// Errors: kInvalidArgument if the path is empty or holds a NUL byte, or the URL
// has another scheme or host.
Result<std::string> PathOfLocation(std::string_view location);

// True if `path`, a result of PathOfLocation, is a URL.
bool IsUrlOfHttp(std::string_view path);

}  // namespace zpack::cli
