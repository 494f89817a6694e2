// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/tar_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

namespace zpack::cli {
namespace {

constexpr uint64_t kRecord = 512;
constexpr uint64_t kTarBlock = 20 * kRecord;
// Largest numbers of 11 octal digits.
constexpr uint64_t kMaxField = 077777777777;
// Git's default of tar.umask.
constexpr uint32_t kUmask = 0002;

// Fields of a header: offset and size.
using Field = std::pair<size_t, size_t>;
constexpr Field kName = {0, 100};
constexpr Field kMode = {100, 8};
constexpr Field kUid = {108, 8};
constexpr Field kGid = {116, 8};
constexpr Field kSize = {124, 12};
constexpr Field kTime = {136, 12};
constexpr Field kChecksum = {148, 8};
constexpr size_t kType = 156;
constexpr Field kLinkName = {157, 100};
constexpr Field kMagic = {257, 8};
constexpr Field kUserName = {265, 32};
constexpr Field kGroupName = {297, 32};
constexpr Field kDevMajor = {329, 8};
constexpr Field kDevMinor = {337, 8};
constexpr Field kPrefix = {345, 155};

using Header = std::array<char, kRecord>;

void SetText(Header& header, const Field& field, std::string_view text) {
  std::ranges::copy(text.substr(0, field.second),
                    header.begin() + static_cast<ptrdiff_t>(field.first));
}

// In octal digits, with a NUL after them.
void SetNumber(Header& header, const Field& field, uint64_t number) {
  SetText(header, field, fmt::format("{:0{}o}", number, field.second - 1));
}

// A record of a pax header: "<size of the record> <key>=<value>\n".
std::string Record(std::string_view key, std::string_view value) {
  const size_t rest = key.size() + value.size() + 3;
  size_t size = rest;
  while (rest + fmt::formatted_size("{}", size) != size) {
    size = rest + fmt::formatted_size("{}", size);
  }
  return fmt::format("{} {}={}\n", size, key, value);
}

// Where to cut a path that is too long for its field: at a slash, as far to the
// right as the field for the first part allows. 0 if there is no such place.
size_t PrefixSize(std::string_view path) {
  size_t end = path.size();
  if (path.ends_with('/')) --end;
  end = std::min(end, kPrefix.second);
  if (end == 0) return 0;
  const size_t slash = path.substr(0, end).rfind('/');
  return slash == std::string_view::npos ? 0 : slash;
}

}  // namespace

// The texts of a header.
struct TarWriter::Fields {
  char type = '0';
  std::string_view name;
  std::string_view prefix;
  std::string_view link;
};

TarWriter::TarWriter(uint64_t time, NamedOutput out)
    : time_(time), out_(std::move(out)) {}

void TarWriter::Begin(const ObjectId& commit) {
  std::string records;
  if (!commit.empty()) records += Record("comment", commit.ToHex());
  if (time_ > kMaxField) {
    records += Record("mtime", fmt::format("{}", time_));
    time_ = kMaxField;
  }
  if (!records.empty()) WriteExtended('g', "pax_global_header", records);
}

void TarWriter::Add(const TarEntry& entry) {
  const std::string id = entry.id.ToHex();
  const std::string see = fmt::format("see {}.paxheader", id);
  const std::string data = fmt::format("{}.data", id);
  Fields fields;
  std::string records;
  uint32_t mode = entry.mode;
  fields.name = entry.path;
  if (entry.path.size() > kName.second) {
    const size_t prefix = PrefixSize(entry.path);
    if (prefix > 0 && entry.path.size() - prefix - 1 <= kName.second) {
      fields.prefix = fields.name.substr(0, prefix);
      fields.name.remove_prefix(prefix + 1);
    } else {
      fields.name = data;
      records += Record("path", entry.path);
    }
  }
  left_ = 0;
  if (mode == 0120000) {
    fields.type = '2';
    mode |= 0777;
    fields.link = entry.target;
    if (entry.target.size() > kLinkName.second) {
      fields.link = see;
      records += Record("linkpath", entry.target);
    }
  } else if (mode == 0100644 || mode == 0100755) {
    mode = (mode | (mode == 0100755 ? 0777 : 0666)) & ~kUmask;
    left_ = entry.size;
  } else {
    fields.type = '5';
    mode = (mode | 0777) & ~kUmask;
  }
  if (left_ > kMaxField) records += Record("size", fmt::format("{}", left_));
  if (!records.empty()) WriteExtended('x', id + ".paxheader", records);
  WriteHeader(fields, mode, left_ > kMaxField ? 0 : left_);
}

Status TarWriter::Write(std::span<const uint8_t> piece) {
  if (piece.size() > left_) {
    return std::unexpected(
        Error{ErrorCode::kCorrupt, "content is larger than its size"});
  }
  left_ -= piece.size();
  WriteBytes({reinterpret_cast<const char*>(piece.data()), piece.size()});
  if (!out_.stream) {
    return std::unexpected(out_.Failure());
  }
  return {};
}

Status TarWriter::EndFile() {
  if (left_ != 0) {
    return std::unexpected(
        Error{ErrorCode::kCorrupt, "content is smaller than its size"});
  }
  Pad(kRecord);
  return {};
}

Status TarWriter::Finish() {
  WriteBytes(std::string(2 * kRecord, '\0'));
  Pad(kTarBlock);
  out_.stream.flush();
  if (!out_.stream) {
    return std::unexpected(out_.Failure());
  }
  return {};
}

void TarWriter::WriteHeader(const Fields& fields, uint32_t mode,
                            uint64_t size) {
  Header header{};
  SetText(header, kName, fields.name);
  SetNumber(header, kMode, mode & 07777);
  SetNumber(header, kUid, 0);
  SetNumber(header, kGid, 0);
  SetNumber(header, kSize, size);
  SetNumber(header, kTime, time_);
  header[kType] = fields.type;
  SetText(header, kLinkName, fields.link);
  SetText(header, kMagic,
          std::string_view("ustar\0"
                           "00",
                           8));
  SetText(header, kUserName, "root");
  SetText(header, kGroupName, "root");
  SetNumber(header, kDevMajor, 0);
  SetNumber(header, kDevMinor, 0);
  SetText(header, kPrefix, fields.prefix);
  // The checksum is computed as if its own field were blank.
  uint64_t sum = kChecksum.second * ' ';
  for (const char byte : header) sum += static_cast<uint8_t>(byte);
  SetNumber(header, kChecksum, sum);
  WriteBytes({header.data(), header.size()});
}

void TarWriter::WriteBytes(std::string_view bytes) {
  out_.stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  written_ += bytes.size();
}

void TarWriter::Pad(uint64_t unit) {
  const uint64_t over = written_ % unit;
  if (over != 0) WriteBytes(std::string(unit - over, '\0'));
}

void TarWriter::WriteExtended(char type, const std::string& name,
                              std::string_view records) {
  Fields fields;
  fields.type = type;
  fields.name = name;
  WriteHeader(fields, 0100666, records.size());
  WriteBytes(records);
  Pad(kRecord);
}

}  // namespace zpack::cli
