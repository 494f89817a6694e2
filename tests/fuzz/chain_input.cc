// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/chain_input.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "format/constants.h"
#include "support/memory_file.h"
#include "support/repair.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

constexpr size_t kFileSizeAt = 44;  // in the header
constexpr size_t kHeaderSizeAt = 24;
// Of the file hash of the file below, in the chunk of refs.
constexpr size_t kHashAt = format::kChunkHeaderSize + 4 + format::kDigestSize;
constexpr size_t kMostFiles = 4;

class ChainFile final : public RandomAccessFile {
 public:
  explicit ChainFile(std::vector<Bytes> files)
      : files_(std::move(files)), file_(files_.back()) {}
  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    return file_.Read(offset, out);
  }
  uint64_t size() const override { return file_.size(); }
  const std::string& path() const override { return file_.path(); }
  Result<std::unique_ptr<RandomAccessFile>> OpenBeside(
      const std::string& name) const override {
    if (files_.size() < 2) return RandomAccessFile::OpenBeside(name);
    return OpenChainInput(std::vector(files_.begin(), files_.end() - 1));
  }

 private:
  std::vector<Bytes> files_;
  MemoryFile file_;
};

}  // namespace

std::vector<Bytes> SplitChain(ByteView input) {
  std::vector<Bytes> files;
  while (files.size() + 1 < kMostFiles &&
         input.size() > format::kFixedHeaderSize) {
    const auto size = LoadBigEndian<uint64_t>(&input[kFileSizeAt]);
    if (size < format::kFixedHeaderSize || size >= input.size()) break;
    files.emplace_back(input.begin(),
                       input.begin() + static_cast<ptrdiff_t>(size));
    input = input.subspan(size);
  }
  files.emplace_back(input.begin(), input.end());
  return files;
}

Bytes JoinChain(const std::vector<Bytes>& files) {
  Bytes input;
  for (const Bytes& file : files) Append(input, file);
  return input;
}

void LinkChain(std::vector<Bytes>& files) {
  for (size_t i = 1; i < files.size(); ++i) {
    Bytes& file = files[i];
    const Bytes& below = files[i - 1];
    if (file.size() < format::kFixedHeaderSize ||
        below.size() < format::kDigestSize) {
      continue;
    }
    const uint64_t at =
        uint64_t{LoadBigEndian<uint32_t>(&file[kHeaderSizeAt])} + kHashAt;
    if (at + format::kDigestSize > file.size()) continue;
    std::ranges::copy(ByteView(below).last(format::kDigestSize),
                      file.begin() + static_cast<ptrdiff_t>(at));
    RepairChecksums(file);
  }
}

std::unique_ptr<RandomAccessFile> OpenChainInput(std::vector<Bytes> files) {
  return std::make_unique<ChainFile>(std::move(files));
}

std::string WriteChain(const std::vector<Bytes>& files,
                       const std::string& directory) {
  std::string path;
  for (size_t i = 0; i < files.size(); ++i) {
    path = directory + "/in" + std::to_string(files.size() - i) + ".zpack";
    WriteFile(path, AsText(files[i]));
  }
  return path;
}

}  // namespace zpack::testing
