// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/version.h"

// The text of a macro's value.
#define ZPACK_TEXT_OF_TOKEN(token) #token
#define ZPACK_TEXT_OF(macro) ZPACK_TEXT_OF_TOKEN(macro)

namespace zpack {

static_assert(kHeaderVersion ==
              ZPACK_TEXT_OF(ZPACK_VERSION_MAJOR) "." ZPACK_TEXT_OF(
                  ZPACK_VERSION_MINOR) "." ZPACK_TEXT_OF(ZPACK_VERSION_PATCH));
// CMakeLists.txt states the same version.
static_assert(kHeaderVersion == ZPACK_PROJECT_VERSION);

std::string_view LibraryVersion() { return kHeaderVersion; }

}  // namespace zpack
