// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Standard streams as a program needs them, whatever started it.

#pragma once

namespace zpack::cli {

// Prevents a file from getting the number of a closed standard stream, because
// messages would be written to that file. Call this before other threads run.
void OpenStandardStreams();

// Lets a program that writes to a closed pipe die silently, as Git does, even
// if its parent ignores SIGPIPE. Call this before other threads run.
void RestoreSigpipe();

}  // namespace zpack::cli
