// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// main() for fuzz targets without a fuzz engine. Runs every file below the
// given paths, in order, and a number of mutations of each, the target's own if
// it has any, the same ones every time:
//
//   fuzz_x_replay [--mutations=N] PATH...

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

namespace {

namespace fs = std::filesystem;

std::vector<uint8_t> ReadInput(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void RunInput(const std::vector<uint8_t>& input) {
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

// A few edits of the kinds that break parsers.
void EditBytes(std::vector<uint8_t>& input, std::mt19937& random) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  const size_t edits = 1 + below(4);
  for (size_t i = 0; i < edits; ++i) {
    const size_t at = below(input.size());
    switch (below(6)) {
      case 0:
        if (!input.empty()) input[at] ^= static_cast<uint8_t>(1 << below(8));
        break;
      case 1:
        if (!input.empty()) input[at] = static_cast<uint8_t>(random());
        break;
      case 2:
        if (!input.empty()) input[at] = below(2) == 0 ? 0x00 : 0xff;
        break;
      case 3:
        input.resize(at);
        break;
      case 4:
        input.insert(input.begin() + static_cast<ptrdiff_t>(at), 1 + below(8),
                     static_cast<uint8_t>(random()));
        break;
      default:
        if (!input.empty()) {
          const size_t end = std::min(input.size(), at + 1 + below(16));
          input.erase(input.begin() + static_cast<ptrdiff_t>(at),
                      input.begin() + static_cast<ptrdiff_t>(end));
        }
    }
  }
}

void Mutate(std::vector<uint8_t>& input, std::mt19937& random) {
  constexpr size_t kMaxSize = size_t{1} << 20;
  if (LLVMFuzzerCustomMutator == nullptr) return EditBytes(input, random);
  const size_t size = input.size();
  input.resize(std::max(size, kMaxSize));
  input.resize(LLVMFuzzerCustomMutator(input.data(), size, input.size(),
                                       static_cast<unsigned>(random())));
}

}  // namespace

int main(int argc, char** argv) {
  int mutations = 0;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--mutations=", 12) == 0) {
      mutations = std::stoi(argv[i] + 12);
    } else if (fs::is_directory(argv[i])) {
      for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    } else {
      files.emplace_back(argv[i]);
    }
  }
  std::ranges::sort(files);
  if (files.empty()) {
    std::fprintf(stderr, "no input\n");
    return 1;
  }
  uint64_t runs = 0;
  for (const fs::path& file : files) {
    const std::vector<uint8_t> input = ReadInput(file);
    RunInput(input);
    std::mt19937 random(static_cast<unsigned>(input.size()));
    for (int i = 0; i < mutations; ++i) {
      std::vector<uint8_t> mutated = input;
      Mutate(mutated, random);
      RunInput(mutated);
    }
    runs += 1 + static_cast<uint64_t>(mutations);
  }
  std::printf("%llu inputs of %zu files\n",
              static_cast<unsigned long long>(runs), files.size());
  return 0;
}
