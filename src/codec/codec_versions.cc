// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "codec/codec_versions.h"

#include <libdeflate.h>
#include <zlib.h>

namespace zpack {

std::string ZlibVersion() { return zlibVersion(); }

// The library does not tell its version at run time.
std::string LibdeflateVersion() { return LIBDEFLATE_VERSION_STRING; }

}  // namespace zpack
