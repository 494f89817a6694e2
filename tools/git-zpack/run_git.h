// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs Git for work that git-zpack leaves to it. Any thread.

#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/result.h"

namespace zpack::cli {

// Runs `git` with these arguments and waits for it. If a stop is requested,
// asks Git to end. Git shares standard error; its standard input and output are
// /dev/null. Its environment has no variables that name a repository, and sets
// GIT_NO_REPLACE_OBJECTS. Returns the exit code of Git; 127 if Git cannot be
// run; 128 plus the number of the signal if a signal ended it. If that signal
// also interrupts this process, a stop is requested when the function returns.
int RunGit(const std::vector<std::string>& arguments,
           const std::stop_token& stop);

// The same with `input` as Git's standard input.
int RunGitWithInput(const std::vector<std::string>& arguments,
                    std::string_view input, const std::stop_token& stop);

// Returns an error unless `exit_code`, a result of RunGit with `stop`, is 0:
// kInterrupted if a stop was requested; otherwise kGit with the reason.
// `command` is for the message: 'git clone'.
Status CheckGit(std::string_view command, int exit_code,
                const std::stop_token& stop);

// Runs `git` with `input` as its standard input. Returns the first line of its
// output, of which 1,024 bytes are read; an empty text if Git fails.
std::string LineFromGit(const std::vector<std::string>& arguments,
                        std::string_view input, const std::stop_token& stop);

// Returns the hexadecimal id that Git gives a blob with this content; an empty
// text if Git fails.
std::string HashWithGit(std::string_view content, const std::stop_token& stop);

}  // namespace zpack::cli
