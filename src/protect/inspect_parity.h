// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Says what is left of the parity of a file. A function without state; any
// thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "zpack/options.h"
#include "zpack/parity.h"
#include "zpack/result.h"

namespace zpack {

// Whether the file itself has parity. kMaybe if it is too damaged to tell.
enum class ParityInside : uint8_t { kNo, kYes, kMaybe };

// The state of the parity of the file at `path`; nothing if it has none. kIo,
// kInterrupted; kUnsupported if its parity has a newer version.
Result<std::optional<ParityState>> InspectParity(FileSystem& file_system,
                                                 const std::string& path,
                                                 ParityInside inside,
                                                 const RunOptions& run);

}  // namespace zpack
