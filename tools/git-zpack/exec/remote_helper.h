// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The dialogue of a remote helper with Git (gitremote-helpers(7)).

#pragma once

#include <string>
#include <vector>

#include "cli.h"

namespace zpack::cli {

// Runs git-remote-zpack, given the arguments without the program's name: the
// remote and its address. The dialogue is on the standard streams. Returns the
// exit code. Never throws.
int RunRemoteHelper(const std::vector<std::string>& arguments, const Io& io);

}  // namespace zpack::cli
