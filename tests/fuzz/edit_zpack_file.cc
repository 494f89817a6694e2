// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a hostile file of a good one, for tools/dev/serve-siege: its checksums
// are right, and for half of the seeds the ids of its objects as well.
//
//   edit_zpack_file SEED FILE OUTPUT

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "fuzz/choices.h"
#include "fuzz/file_mutator.h"
#include "fuzz/file_parts.h"
#include "fuzz/true_ids.h"
#include "support/temp_dir.h"

int main(int argc, char** argv) {
  using namespace zpack;
  using namespace zpack::testing;
  constexpr uint64_t kMaxSize = uint64_t{64} << 20;
  if (argc != 4) {
    std::fputs("usage: edit_zpack_file SEED FILE OUTPUT\n", stderr);
    return 129;
  }
  const uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const auto file = ReadWholeFile(PosixFileSystem(), argv[2], kMaxSize);
  if (!file) {
    std::fprintf(stderr, "fatal: %s\n", file.error().message.c_str());
    return 128;
  }
  uint64_t edit = seed;
  Bytes edited =
      MutateFile(*file, seed, [&](Bytes& bytes) { FlipBytes(bytes, ++edit); });
  if (Choices(seed ^ 1).OneIn(2)) {
    if (auto honest = WithTrueIds(edited)) edited = std::move(*honest);
    // Whose ids would be computed as well.
    auto parts = TakeApart(edited);
    if (parts && Choices(seed ^ 2).OneIn(2)) {
      LeaveOutIds(*parts);
      edited = PutTogether(*parts);
    }
  }
  WriteFile(argv[3], AsText(edited));
  return 0;
}
