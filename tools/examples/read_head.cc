// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints the id of HEAD and the commit itself:
//
//   read_head FILE

#include <zpack/archive_reader.h>

#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 2) return 129;
  const auto reader = zpack::ArchiveReader::Open(argv[1], {});
  if (!reader) {
    std::cerr << reader.error().message << '\n';
    return 128;
  }
  const auto head = (*reader)->Resolve("HEAD");
  if (!head) {
    std::cerr << head.error().message << '\n';
    return 128;
  }
  const auto commit = (*reader)->Read(*head);
  if (!commit) {
    std::cerr << commit.error().message << '\n';
    return 128;
  }
  std::cout << head->ToHex() << '\n'
            << std::string_view(
                   reinterpret_cast<const char*>(commit->content.data()),
                   commit->content.size());
}
