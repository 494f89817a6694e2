// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "http/open_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/neighbours.h"
#include "base/posix_file.h"
#include "base/url.h"
#include "http/http_file.h"
#include "http/remote_file.h"

namespace zpack {
namespace {

// Opens a file without a name, which no other process sees.
Result<OpenedFile> OpenNamelessFile(const std::string& directory) {
  std::string name = directory + "/git-zpack-download-XXXXXX";
  Descriptor fd(mkostemp(name.data(), O_CLOEXEC));
  if (fd.get() < 0) {
    return std::unexpected(IoError("create a file in", directory, errno));
  }
  unlink(name.c_str());
  return OpenedFile{std::move(fd), 0};
}

Result<std::unique_ptr<RandomAccessFile>> DownloadFile(
    const RemoteFile& file, NeighbourOpener open_beside,
    const std::stop_token& stop) {
  const char* const given = getenv("TMPDIR");
  const std::string directory =
      given != nullptr && *given == '/' ? given : "/tmp";
  int fd = -1;
  ZPACK_ASSIGN_OR_RETURN(
      const auto out, MakeWritableFile(directory, [&]() -> Result<OpenedFile> {
        ZPACK_ASSIGN_OR_RETURN(OpenedFile opened, OpenNamelessFile(directory));
        fd = opened.fd.get();
        return opened;
      }));
  ZPACK_TRY(file.FetchWhole(
      stop, [&] { return out->Truncate(0); },
      [&](ByteView bytes) { return out->Append(bytes); }));
  Descriptor copy(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (copy.get() < 0) return std::unexpected(IoError("read", directory, errno));
  return WithNeighbours(
      MakeRandomAccessFile(std::move(copy), file.name(), out->size()),
      std::move(open_beside));
}

// The URL of the file `name` in the directory of `url`.
std::string UrlBeside(const std::string& url, std::string_view name) {
  const std::string path = url.substr(0, url.find_first_of("?#"));
  std::string out = path.substr(0, path.rfind('/') + 1);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").contains(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

Result<std::unique_ptr<RandomAccessFile>> OpenUrl(const std::string& url,
                                                  const ReadOptions& options,
                                                  const std::stop_token& stop,
                                                  DiskPages disk_pages) {
  ZPACK_ASSIGN_OR_RETURN(
      RemoteFile::Opened opened,
      RemoteFile::Open(url, HttpSettings{}, HttpFile::kStartSize, stop));
  const NeighbourOpener open_beside = [=](const std::string& name) {
    return OpenUrl(UrlBeside(url, name), options, stop, disk_pages);
  };
  if (opened.whole_only) {
    if (options.download == Download::kYes) {
      return DownloadFile(*opened.file, open_beside, stop);
    }
    return MakeError(ErrorCode::kUnsupported,
                     "the server does not send parts of '{}'; it can only be "
                     "downloaded as a whole, with --download, or with 'git -c "
                     "zpack.download=true' where Git reads it",
                     AtPath{opened.file->name()});
  }
  auto disk =
      DiskCache::Open({DiskCache::DefaultDirectory(), options.max_disk_cache},
                      opened.file->Version(), kPageSize);
  return std::make_unique<HttpFile>(
      PageLoader(std::move(opened.file), std::move(disk), disk_pages),
      std::move(opened.start), open_beside, stop);
}

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> OpenForReading(
    const std::string& name, const ReadOptions& options,
    const std::stop_token& stop, DiskPages disk_pages) {
  if (!IsUrl(name)) return PosixFileSystem().OpenForRead(name);
  return OpenUrl(name, options, stop, disk_pages);
}

}  // namespace zpack
