// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/reflog_snapshot.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "git/files/file_tree.h"

namespace zpack {
namespace {

// Bytes that are read at first to find the last line.
constexpr uint64_t kEndWindow = uint64_t{64} << 10;
constexpr uint64_t kSearchWindow = uint64_t{1} << 20;

// At most `size` bytes at `offset`.
Result<std::string> ReadPart(const Descriptor& file, uint64_t offset,
                             uint64_t size, const std::string& path) {
  if (lseek(file.get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
    return std::unexpected(IoError("seek", path, errno));
  }
  Bytes part(size);
  ZPACK_ASSIGN_OR_RETURN(const size_t got, ReadFull(file, part, path));
  return std::string(AsText(ByteView(part).first(got)));
}

// The bytes of `text` up to the end of its last complete line.
size_t WholeLines(std::string_view text) { return text.rfind('\n') + 1; }

ReflogSnapshots::End EndOf(std::string_view text) {
  return text.empty() || text.ends_with('\n') ? ReflogSnapshots::End::kLine
                                              : ReflogSnapshots::End::kInLine;
}

// Sets the size and the ending of `log`, from the first log.size bytes.
Result<ReflogSnapshots::End> SetEnding(const Descriptor& file,
                                       const std::string& path,
                                       ListedFile& log) {
  for (uint64_t window = kEndWindow;; window *= 2) {
    const uint64_t begin = log.size - std::min(log.size, window);
    ZPACK_ASSIGN_OR_RETURN(std::string end,
                           ReadPart(file, begin, log.size - begin, path));
    const ReflogSnapshots::End where = EndOf(end);
    end.resize(WholeLines(end));
    if (end.empty() && begin > 0) continue;
    log.size = begin + end.size();
    if (end.empty()) {
      log.content = std::make_shared<const std::string>();
    } else {
      log.ending = end.substr(
          WholeLines(std::string_view(end).substr(0, end.size() - 1)));
    }
    return where;
  }
}

}  // namespace

Result<ReflogSnapshots::End> ReflogSnapshots::Take(const std::string& root,
                                                   ListedFile& log) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, OpenInTree(root, log.source));
  if (!file) return End::kGone;
  const std::string path = root + '/' + log.source;
  if (log.size > left_) return SetEnding(*file, path, log);
  ZPACK_ASSIGN_OR_RETURN(std::string content,
                         ReadPart(*file, 0, log.size, path));
  const End where = EndOf(content);
  content.resize(WholeLines(content));
  log.size = content.size();
  left_ -= log.size;
  log.content = std::make_shared<const std::string>(std::move(content));
  return where;
}

Result<uint64_t> FindSnapshotEnd(const ListedFile& log, const Descriptor& file,
                                 const std::string& path) {
  const uint64_t length = log.ending.size();
  ZPACK_ASSIGN_OR_RETURN(const std::string there,
                         ReadPart(file, log.size - length, length, path));
  uint64_t end = there == log.ending ? log.size : 0;
  for (uint64_t begin = 0; end == 0; begin += kSearchWindow) {
    ZPACK_ASSIGN_OR_RETURN(
        const std::string part,
        ReadPart(file, begin, kSearchWindow + length - 1, path));
    if (part.size() < length) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "'{}' changed while it was read", AtPath{path});
    }
    // The first of several that are alike: what precedes it is no newer.
    const size_t at = part.find(log.ending);
    if (at != std::string::npos) end = begin + at + length;
  }
  ZPACK_TRY(ReadPart(file, 0, 0, path));
  return end;
}

}  // namespace zpack
