// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes small files that stand for much: write_bombs DIRECTORY. The directory
// exists. For tools/dev/measure-hostile.

#include <cstdio>
#include <fstream>
#include <string>

#include "support/bombs.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_bombs DIRECTORY\n", stderr);
    return 129;
  }
  for (const auto& bomb : zpack::testing::Bombs()) {
    const zpack::Bytes bytes = bomb.make().Build();
    const std::string path = std::string(argv[1]) + '/' + bomb.name + ".zpack";
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write '%s'\n", path.c_str());
      return 1;
    }
  }
  return 0;
}
