// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/serve.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "api/decoding_threads.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"
#include "base/guarded.h"
#include "base/neighbours.h"
#include "base/posix_file.h"
#include "git/config/upload_pack_configuration.h"
#include "http/open_file.h"
#include "reader/archive_file.h"
#include "serve/gzip_input.h"
#include "serve/upload_session.h"

namespace zpack {
namespace {

using Opener = std::function<Result<int>(const std::string& path)>;

// The file `path`, which `open` opens like those beside it. `open` must outlive
// the file.
Result<std::unique_ptr<RandomAccessFile>> OpenWith(const Opener& open,
                                                   const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const int fd, open(path));
  Descriptor descriptor(fd);
  struct stat info{};
  if (fstat(fd, &info) != 0) {
    return std::unexpected(IoError("stat", path, errno));
  }
  return WithNeighbours(
      MakeRandomAccessFile(std::move(descriptor), path,
                           static_cast<uint64_t>(info.st_size)),
      [&open, directory = DirectoryOf(path)](const std::string& name) {
        return OpenWith(open, directory + '/' + name);
      });
}

Result<std::unique_ptr<RandomAccessFile>> OpenServed(
    const std::string& path, const UploadPackOptions& options) {
  if (options.open) return OpenWith(options.open, path);
  if (options.urls == AllowUrls::kNo) {
    return PosixFileSystem().OpenForRead(path);
  }
  return OpenForReading(path, options.read, options.run.stop);
}

}  // namespace

std::unique_ptr<ServeInput> Gunzip(ServeInput& input) {
  return std::make_unique<GzipInput>(input);
}

ServeProtocol ParseServeProtocol(std::string_view git_protocol) {
  ServeProtocol highest = ServeProtocol::kV0;
  while (!git_protocol.empty()) {
    const size_t end = std::min(git_protocol.find(':'), git_protocol.size());
    const std::string_view key = git_protocol.substr(0, end);
    if (key == "version=1") highest = std::max(highest, ServeProtocol::kV1);
    if (key == "version=2") highest = std::max(highest, ServeProtocol::kV2);
    git_protocol.remove_prefix(std::min(end + 1, git_protocol.size()));
  }
  return highest;
}

Result<UploadPackSettings> ReadUploadPackSettings() {
  return Guarded(ReadUploadPackConfiguration);
}

Status UploadPack(const std::string& path, const UploadPackOptions& options,
                  ServeInput& input, ServeOutput& output) {
  return Guarded([&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(auto file, OpenServed(path, options));
    UploadPackOptions effective = options;
    effective.read = BoundedReads(options.read, options.run);
    const uint64_t size = file->size();
    effective.run.progress = nullptr;
    ZPACK_ASSIGN_OR_RETURN(
        const auto archive,
        ArchiveFile::OpenWithoutIndex(std::move(file), effective.read));
    // A server does not read the beginning of each block for every request.
    effective.run.threads =
        options.run.memory
            ? DecodingThreads(options.run, archive->blocks())
            : DecodingThreads(options.run, size, archive->blocks().features());
    if (archive->has_promises()) {
      return MakeError(
          ErrorCode::kUnsupported,
          "'{}' is a partial clone and cannot be served; restore it",
          AtPath{path});
    }
    return RunUploadSession(*archive, effective, input, output);
  });
}

}  // namespace zpack
