// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How long one thread takes to decode all commits and trees of a file to their
// own bytes, which is what 'git cat-file --batch' does for a repository. Like
// that, it copies them to a buffer and writes it to /dev/null; nothing is
// hashed.
//
//   decode_benchmark FILE

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "reader/object_run.h"

namespace zpack {
namespace {

struct Decoded {
  uint64_t objects = 0;
  uint64_t bytes = 0;
};

// Collects bytes and writes them to /dev/null.
class NullOutput {
 public:
  NullOutput() : fd_(open("/dev/null", O_WRONLY)) { buffer_.reserve(kSize); }
  ~NullOutput() { close(fd_); }
  NullOutput(const NullOutput&) = delete;
  NullOutput& operator=(const NullOutput&) = delete;

  Status Write(ByteView bytes) {
    Append(buffer_, bytes);
    return buffer_.size() < kSize ? Status{} : Flush();
  }
  Status Flush() {
    const ssize_t written = write(fd_, buffer_.data(), buffer_.size());
    if (written != static_cast<ssize_t>(buffer_.size())) {
      return MakeError(ErrorCode::kIo, "cannot write to '/dev/null'");
    }
    buffer_.clear();
    return {};
  }

 private:
  static constexpr size_t kSize = size_t{64} << 10;

  int fd_;
  Bytes buffer_;
};

Status DecodeBlock(const ArchiveFile& archive, size_t block,
                   BlockDecoder& decoder, NullOutput& out, Decoded& sum) {
  ZPACK_ASSIGN_OR_RETURN(const DecodedBlock decoded,
                         decoder.Decode(archive.blocks(), block));
  const auto write = [&](ByteView content) {
    sum.bytes += content.size();
    return out.Write(content);
  };
  const BlockRun run = RunAt(archive.blocks(), block);
  if (IsSegmented(run, decoded)) {
    ++sum.objects;
    ZPACK_TRY(StreamSegments(archive.blocks(), run, decoded, decoder, write));
    return {};
  }
  sum.objects += decoded.objects.sizes.size();
  return decoded.ForEachObject(
      archive.options().max_block_size,
      [&](size_t, ByteView content) { return write(content); });
}

Result<Decoded> DecodeFile(const ArchiveFile& archive) {
  BlockDecoder decoder;
  NullOutput out;
  Decoded sum;
  for (size_t block = 0; block < archive.blocks().block_count(); ++block) {
    if (archive.blocks().continues_previous(block)) continue;
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                           decoder.Load(archive.blocks(), block));
    const ObjectType type = view.header.type;
    if (type != ObjectType::kCommit && type != ObjectType::kTree) continue;
    ZPACK_TRY(DecodeBlock(archive, block, decoder, out, sum));
  }
  ZPACK_TRY(out.Flush());
  return sum;
}

Status Run(const std::string& path) {
  const auto start = std::chrono::steady_clock::now();
  ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().OpenForRead(path));
  ZPACK_ASSIGN_OR_RETURN(const auto archive,
                         ArchiveFile::Open(std::move(file), ReadOptions{}));
  ZPACK_ASSIGN_OR_RETURN(const Decoded sum, DecodeFile(*archive));
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  std::cout << fmt::format("objects {}\nbytes {}\nseconds {:.4f}\n",
                           sum.objects, sum.bytes, seconds.count());
  return {};
}

}  // namespace
}  // namespace zpack

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: decode_benchmark FILE\n";
    return 129;
  }
  const zpack::Status status = zpack::Run(argv[1]);
  if (status) return 0;
  std::cerr << "fatal: " << status.error().message << '\n';
  return 128;
}
