// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/file_table.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "format/constants.h"
#include "object/listed_files.h"

namespace zpack::format {
namespace {

constexpr uint8_t kExecutable = 1;
constexpr uint8_t kContinued = 2;  // only with a file below
// A lower bound for the bytes of a file: group, flags, two lengths, size, hash.
constexpr uint64_t kMinFileSize = 5 + kDigestSize;

size_t SharedPrefix(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::unexpected<Error> Bad(std::string_view what) {
  return MakeError(ErrorCode::kCorrupt, "bad {} in table of files",
                   MessageText{what});
}

// Finds out whether a name is a directory of a later one.
class DirectoryFinder {
 public:
  // Takes the next name, in ascending order. `shared` is the number of bytes
  // that it shares with the name before. False if one of the names before is
  // one of its directories.
  bool Take(std::string_view name, size_t shared) {
    while (!prefixes_.empty() && prefixes_.back() > shared) {
      prefixes_.pop_back();
    }
    const bool found = std::ranges::any_of(
        prefixes_, [&](size_t size) { return name[size] == '/'; });
    prefixes_.push_back(name.size());
    return !found;
  }

 private:
  // Lengths of the names with which the last one begins, and its own.
  std::vector<size_t> prefixes_;
};

// `before` is the name of the file before, or empty. Sets FileTable::continued
// if the file is `backed`.
Result<RepositoryFile> DecodeFile(ByteReader& in, const std::string& before,
                                  DirectoryFinder& directories,
                                  FileTable& table) {
  RepositoryFile file;
  file.group = static_cast<FileGroup>(in.U8());
  const uint8_t flags = in.U8();
  const uint64_t shared = in.Varint();
  const ByteView rest = in.LengthPrefixed();
  file.size = in.Varint();
  const ByteView hash = in.Raw(kDigestSize);
  const uint8_t known = table.backed ? kExecutable | kContinued : kExecutable;
  if (!in.ok() || shared > before.size() || (flags & ~known) != 0) {
    return Bad("row");
  }
  if (table.backed) table.continued.push_back((flags & kContinued) != 0);
  file.name = before.substr(0, shared);
  file.name += AsText(rest);
  if (SharedPrefix(before, file.name) != shared) return Bad("row");
  file.executable = (flags & kExecutable) != 0;
  std::ranges::copy(hash, file.sha256.begin());
  if (!IsValidFileName(file.group, file.name) || file.name <= before ||
      !directories.Take(file.name, shared)) {
    return MakeError(ErrorCode::kCorrupt, "bad name '{}' in table of files",
                     file.name);
  }
  return file;
}

Status DecodeRemoved(ByteReader& in, std::vector<std::string>& removed) {
  const uint64_t count = in.Count(in.Varint(), 1);
  for (uint64_t i = 0; i < count; ++i) {
    std::string name(AsText(in.LengthPrefixed()));
    if (!removed.empty() && removed.back() >= name) return Bad("removed file");
    removed.push_back(std::move(name));
  }
  return {};
}

void EncodeGroups(const std::vector<FileGroup>& groups, ByteWriter& to) {
  to.Varint(groups.size());
  for (const FileGroup group : groups) to.U8(static_cast<uint8_t>(group));
}

// `continued` is as in FileTable.
void EncodeFiles(const std::vector<RepositoryFile>& files,
                 const std::vector<bool>& continued, ByteWriter& to) {
  to.Varint(files.size());
  std::string_view before;
  for (size_t i = 0; i < files.size(); ++i) {
    const RepositoryFile& file = files[i];
    const size_t shared = SharedPrefix(before, file.name);
    to.U8(static_cast<uint8_t>(file.group));
    const bool goes_on = i < continued.size() && continued[i];
    to.U8(static_cast<uint8_t>((file.executable ? kExecutable : 0) |
                               (goes_on ? kContinued : 0)));
    to.Varint(shared);
    to.LengthPrefixed(AsBytes(std::string_view(file.name).substr(shared)));
    to.Varint(file.size);
    to.Raw(file.sha256);
    before = file.name;
  }
}

Status DecodePieces(ByteReader& in, uint64_t data_size, FileTable& table) {
  const uint64_t content = table.content_size();
  const uint64_t pieces = in.Varint();
  if (!in.ok() ||
      pieces != content / kFilePieceSize + (content % kFilePieceSize != 0) ||
      pieces > in.remaining()) {
    return Bad("number of pieces");
  }
  uint64_t left = data_size;
  for (uint64_t i = 0; i < pieces; ++i) {
    const uint64_t size = in.Varint();
    if (!in.ok() || size > left) return Bad("size of a piece");
    left -= size;
    table.piece_sizes.push_back(size);
  }
  return left == 0 ? Status{} : Bad("size of the last piece");
}

}  // namespace

uint64_t FileTable::content_size() const {
  uint64_t sum = 0;
  for (const RepositoryFile& file : files) sum += file.size;
  return sum;
}

void Encode(const FileTable& table, Bytes& out) {
  ByteWriter to(out);
  EncodeGroups(table.left_out, to);
  if (table.backed) {
    to.Varint(table.removed.size());
    for (const std::string& name : table.removed) {
      to.LengthPrefixed(AsBytes(name));
    }
  }
  EncodeFiles(table.files, table.continued, to);
  to.Varint(table.piece_sizes.size());
  for (const uint64_t size : table.piece_sizes) to.Varint(size);
  if (table.backed) to.Raw(table.digest);
}

Digest FilesDigest(const std::vector<FileGroup>& left_out,
                   const std::vector<RepositoryFile>& files) {
  Bytes payload;
  ByteWriter to(payload);
  EncodeGroups(left_out, to);
  EncodeFiles(files, {}, to);
  Hasher hasher(HashAlgorithm::kSha256);
  hasher.Update(payload);
  Digest digest;
  hasher.Finish(digest);
  return digest;
}

Result<FileTable> DecodeFileTable(ByteView payload, uint64_t data_size,
                                  uint64_t max_content, bool backed) {
  ByteReader in(payload);
  FileTable table;
  table.backed = backed;
  const uint64_t left_out = in.Varint();
  if (!in.ok() || left_out > kAllFileGroups.size()) return Bad("groups");
  for (uint64_t i = 0; i < left_out; ++i) {
    const auto group = static_cast<FileGroup>(in.U8());
    if (std::ranges::find(kAllFileGroups, group) == kAllFileGroups.end() ||
        (!table.left_out.empty() && group <= table.left_out.back())) {
      return Bad("groups");
    }
    table.left_out.push_back(group);
  }
  if (backed) ZPACK_TRY(DecodeRemoved(in, table.removed));
  const uint64_t files = in.Varint();
  if (!in.ok() || files > in.remaining() / kMinFileSize) {
    return Bad("number of files");
  }
  uint64_t content = 0;
  std::string before;
  DirectoryFinder directories;
  for (uint64_t i = 0; i < files; ++i) {
    ZPACK_ASSIGN_OR_RETURN(RepositoryFile file,
                           DecodeFile(in, before, directories, table));
    if (file.size > max_content - content) {
      return MakeError(ErrorCode::kCorrupt,
                       "the files have more than {} bytes, which is too much "
                       "for a file of this size",
                       max_content);
    }
    content += file.size;
    before = file.name;
    table.files.push_back(std::move(file));
  }
  ZPACK_TRY(DecodePieces(in, data_size, table));
  if (backed) {
    const ByteView digest = in.Raw(kDigestSize);
    if (!in.ok()) return Bad("digest");
    std::ranges::copy(digest, table.digest.begin());
  }
  if (in.remaining() != 0) return Bad("end");
  return table;
}

}  // namespace zpack::format
