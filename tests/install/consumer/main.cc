// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts a repository with the installed library and reads HEAD back.

#include <iostream>

#include "zpack/archive_reader.h"
#include "zpack/convert.h"
#include "zpack/restore.h"
#include "zpack/verify.h"
#include "zpack/version.h"

int main(int argc, char** argv) {
  if (argc != 3) return 129;
  const auto stats = zpack::Convert(argv[1], argv[2], zpack::ConvertOptions{});
  if (!stats) {
    std::cerr << stats.error().message << '\n';
    return 1;
  }
  const auto reader = zpack::ArchiveReader::Open(argv[2], zpack::ReadOptions{});
  if (!reader) {
    std::cerr << reader.error().message << '\n';
    return 1;
  }
  const auto head = (*reader)->Resolve("HEAD");
  if (!head) {
    std::cerr << head.error().message << '\n';
    return 1;
  }
  std::cout << zpack::LibraryVersion() << ' ' << stats->objects() << ' '
            << head->ToHex() << '\n';
  return 0;
}
