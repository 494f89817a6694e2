// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/loose_object.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "base/directory.h"
#include "base/error.h"
#include "base/hex.h"
#include "git/files/directory_listing.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// "commit 18446744073709551615" and a zero byte.
constexpr size_t kMaxHeader = 32;

bool IsLowerHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string LooseObjectPath(const std::string& object_directory,
                            const ObjectId& id) {
  const std::string hex = id.ToHex();
  return object_directory + '/' + hex.substr(0, 2) + '/' + hex.substr(2);
}

Result<std::unique_ptr<LooseObject>> LooseObject::Open(
    const std::vector<std::string>& object_directories, const ObjectId& id) {
  for (const std::string& directory : object_directories) {
    const std::string path = LooseObjectPath(directory, id);
    Result<std::unique_ptr<RandomAccessFile>> file =
        PosixFileSystem().OpenForRead(path);
    if (const auto why = file ? "" : WhyUnreadable(path); !why.empty()) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot read object {}: '{}' {}", id, AtPath{path},
                       MessageText{why});
    }
    if (!file && file.error().code == ErrorCode::kNotFound) continue;
    if (!file) return std::unexpected(std::move(file).error());
    std::unique_ptr<LooseObject> object(new LooseObject(*std::move(file), id));
    ZPACK_TRY(object->ReadHeader());
    return object;
  }
  return MakeError(ErrorCode::kNotFound, "no loose object {}", id);
}

std::unexpected<Error> LooseObject::Damaged(std::string_view why) const {
  return MakeError(ErrorCode::kSourceCorrupt,
                   "cannot read object {}: {} in '{}'", id_, MessageText{why},
                   AtPath{file_->path()});
}

Result<size_t> LooseObject::Inflate(std::span<uint8_t> out) {
  const auto filled = inflater_.Inflate(out);
  if (!filled && filled.error().code != ErrorCode::kIo) {
    return Damaged(filled.error().message);
  }
  return filled;
}

Status LooseObject::ReadHeader() {
  std::array<uint8_t, kMaxHeader> buffer;
  ZPACK_ASSIGN_OR_RETURN(const size_t size, Inflate(buffer));
  const std::string_view text = AsText(ByteView(buffer).first(size));
  const size_t space = text.find(' ');
  const size_t nul = text.find('\0');
  if (nul == std::string_view::npos || space > nul) {
    return Damaged("bad object header");
  }
  const auto type =
      std::ranges::find(kAllObjectTypes, text.substr(0, space), ObjectTypeName);
  if (type == kAllObjectTypes.end()) return Damaged("unknown object type");
  info_.type = *type;
  const char* const end = text.data() + nul;
  const auto parsed = std::from_chars(text.data() + space + 1, end, info_.size);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return Damaged("bad object size");
  }
  if (info_.size / kMaxInflateRatio > file_->size()) {
    return Damaged("object size larger than the file can hold");
  }
  start_.assign(buffer.begin() + static_cast<ptrdiff_t>(nul) + 1,
                buffer.begin() + static_cast<ptrdiff_t>(size));
  if (start_.size() > info_.size) return Damaged("more content than announced");
  return info_.size == 0 ? CheckEnd() : Status();
}

Status LooseObject::Read(std::span<uint8_t> out) {
  position_ += out.size();
  const size_t from_start = std::min(out.size(), start_.size());
  std::copy_n(start_.begin(), from_start, out.begin());
  start_.erase(start_.begin(),
               start_.begin() + static_cast<ptrdiff_t>(from_start));
  const auto rest = out.subspan(from_start);
  ZPACK_ASSIGN_OR_RETURN(const size_t filled, Inflate(rest));
  if (filled != rest.size()) return Damaged("less content than announced");
  return position_ == info_.size ? CheckEnd() : Status();
}

Status LooseObject::CheckEnd() {
  uint8_t extra = 0;
  ZPACK_ASSIGN_OR_RETURN(const size_t filled, Inflate({&extra, 1}));
  if (filled != 0) return Damaged("more content than announced");
  if (!inflater_.used_up()) return Damaged("garbage at the end");
  return {};
}

Status ListLooseObjects(ObjectFormat format,
                        const std::string& object_directory, Bytes& ids) {
  const size_t name_size = ObjectIdWidth(format) * 2 - 2;
  for (int first = 0; first < 256; ++first) {
    const std::string prefix = fmt::format("{:02x}", first);
    const std::string directory = object_directory + '/' + prefix;
    // Most are missing in a repository that was packed; an error takes longer
    // to make than to look. Not by a list of `object_directory`, which needs a
    // right that Git does without.
    struct stat info;
    if (lstat(directory.c_str(), &info) != 0 && errno == ENOENT) continue;
    const auto entries = ListEntries(directory);
    if (!entries && entries.error().code == ErrorCode::kNotFound) continue;
    if (!entries) return std::unexpected(entries.error());
    for (const DirectoryEntry& entry : *entries) {
      const std::string& name = entry.name;
      if (name.size() != name_size || !IsLowerHex(name)) continue;
      if (const auto id = FromHex(prefix + name)) Append(ids, *id);
    }
  }
  return {};
}

std::vector<std::string> ListNoLooseDirectories(
    const std::string& object_directory) {
  std::vector<std::string> sentences;
  for (int first = 0; first < 256; ++first) {
    const std::string path = fmt::format("{}/{:02x}", object_directory, first);
    if (!LeadsNowhere(path)) continue;
    sentences.push_back(
        FormatMessage("'{}' is a link that leads nowhere", AtPath{path}));
  }
  return sentences;
}

}  // namespace zpack
