// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A git directory as bytes that a fuzz engine can edit: for each file the
// number of its name, flags, a size of two bytes, and the content. Functions
// without state; any thread.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace zpack::testing {

struct InputFile {
  // The checksum at the end of the file is made right; in the index of a pack,
  // that of the pack, too.
  static constexpr uint8_t kRepaired = 1;
  // Of a loose object: not its plain content, but an id and what the file with
  // this id has.
  static constexpr uint8_t kVerbatim = 2;

  uint8_t name = 0;
  uint8_t flags = 0;
  Bytes content;
};

// Takes any bytes; a file may be cut.
std::vector<InputFile> SplitRepository(ByteView input);
Bytes JoinRepository(const std::vector<InputFile>& files);

// The files of a git directory that have a name here, all to be repaired.
std::vector<InputFile> ReadRepository(const std::string& git_directory);
// Writes these files, and what else Git wants to see, into a new directory.
void WriteRepository(const std::vector<InputFile>& files,
                     const std::string& git_directory);

}  // namespace zpack::testing
