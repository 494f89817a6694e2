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

// What is known of the file itself.
struct InspectedFile {
  ParityInside inside = ParityInside::kMaybe;
  bool undamaged = false;
};

struct InspectedParity {
  // The state of the parity of the file; nothing if it has none that fits. No
  // shards if it has a chunk of parity without a packet.
  std::optional<ParityState> parity;
  // The path of parity beside the file that was made for another version of it:
  // for a file of another size or, of an undamaged file, for other content.
  // Empty if there is none.
  std::string stale;
};

// Errors: kIo, kInterrupted; kUnsupported if the parity of the file has a newer
// version.
Result<InspectedParity> InspectParity(FileSystem& file_system,
                                      const std::string& path,
                                      const InspectedFile& file,
                                      const RunOptions& run);

}  // namespace zpack
