// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of the settings that `git repack` reads, and with it `git
// pack-objects`, whatever they then use: Git refuses a repository where one of
// them has a value of another type, at any level, before it writes anything
// (git-config(1); environment.c, repo-settings.c, builtin/repack.c and
// builtin/pack-objects.c of Git 2.55). Where versions of Git differ, the more
// lenient one counts. Functions without state; any thread.

#pragma once

#include "git/config/configuration_file.h"
#include "zpack/result.h"

namespace zpack {

// kGit, with Git's words: an entry has a value that `git repack` refuses.
// Entries are checked in their order.
Status CheckRepackSettings(const Configuration& config);

}  // namespace zpack
