// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Standard streams that are closed when a program starts.

#pragma once

namespace zpack::cli {

// Prevents a file from getting the number of a closed standard stream, because
// messages would be written to that file. Call this before other threads run.
void OpenStandardStreams();

}  // namespace zpack::cli
