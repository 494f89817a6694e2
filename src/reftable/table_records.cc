// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/table_records.h"

#include <limits>
#include <optional>

#include "base/offset_varint.h"
#include "object/ref_name.h"

namespace zpack::reftable {
namespace {

// Types of values of a ref and of an entry of a reflog.
constexpr unsigned kDeletion = 0;
constexpr unsigned kDirect = 1;
constexpr unsigned kPeeled = 2;
constexpr unsigned kSymbolic = 3;
constexpr unsigned kLogEntry = 1;

// '\0' and the inverted update index, which end the key of a log record.
constexpr size_t kLogKeyEnd = 1 + sizeof(uint64_t);

ObjectId ReadId(const TableHeader& header, ByteReader& in) {
  const ByteView bytes = in.Raw(ObjectIdWidth(header.format));
  return in.ok() ? ObjectId(bytes) : ObjectId();
}

// False if the input ends.
bool ReadText(ByteReader& in, std::string& text) {
  const auto size = ReadOffsetVarint(in);
  if (!size) return false;
  text = AsText(in.Raw(*size));
  return in.ok();
}

void WriteText(std::string_view text, Bytes& out) {
  AppendOffsetVarint(text.size(), out);
  Append(out, AsBytes(text));
}

bool HasFormat(const ObjectId& id, const TableHeader& header) {
  return id.bytes().size() == ObjectIdWidth(header.format);
}

bool HasAny(std::string_view text, std::string_view bytes) {
  return text.find_first_of(bytes) != std::string_view::npos;
}

}  // namespace

bool LogRecord::marks_existence() const {
  return !deleted() && old_id.is_null() && new_id.is_null();
}

bool IsStoredRefName(std::string_view name) {
  if (name.starts_with("refs/")) return IsValidRefName(name);
  return name.size() <= kMaxRefName - 5 &&
         IsValidRefName("refs/" + std::string(name));
}

std::string KeyOf(const RefRecord& record) { return record.ref.name; }

std::string KeyOf(const LogRecord& record) {
  std::string key = record.ref_name;
  key.push_back('\0');
  const uint64_t inverted =
      std::numeric_limits<uint64_t>::max() - record.update_index;
  for (int shift = 56; shift >= 0; shift -= 8) {
    key.push_back(static_cast<char>(inverted >> shift));
  }
  return key;
}

std::string_view DecodeValue(std::string_view key, unsigned type,
                             const TableHeader& header, ByteReader& in,
                             RefRecord& record) {
  record.ref = {.name = std::string(key),
                .target = {},
                .peeled = {},
                .symref_target = {}};
  const auto delta = ReadOffsetVarint(in);
  if (!delta || *delta > header.max_update_index - header.min_update_index) {
    return "bad update index of a ref";
  }
  record.update_index = header.min_update_index + *delta;
  switch (type) {
    case kDeletion:
      return {};
    case kDirect:
      record.ref.target = ReadId(header, in);
      break;
    case kPeeled:
      record.ref.target = ReadId(header, in);
      record.ref.peeled = ReadId(header, in);
      break;
    case kSymbolic:
      if (!ReadText(in, record.ref.symref_target)) return "a ref is cut off";
      break;
    default:
      return "unknown type of a ref";
  }
  return in.ok() ? "" : "a ref is cut off";
}

std::string_view DecodeValue(std::string_view key, unsigned type,
                             const TableHeader& header, ByteReader& in,
                             LogRecord& record) {
  if (key.size() <= kLogKeyEnd) return "bad key of a log entry";
  const std::string_view end = key.substr(key.size() - kLogKeyEnd);
  key.remove_suffix(kLogKeyEnd);
  if (end.front() != '\0') return "bad key of a log entry";
  record.ref_name = key;
  record.update_index = std::numeric_limits<uint64_t>::max() -
                        LoadBigEndian<uint64_t>(AsBytes(end).data() + 1);
  record.old_id = {};
  record.new_id = {};
  record.time = 0;
  record.zone = 0;
  if (type == kDeletion) {
    for (auto* text : {&record.name, &record.email, &record.message}) {
      text->clear();
    }
    return {};
  }
  if (type != kLogEntry) return "unknown type of a log entry";
  record.old_id = ReadId(header, in);
  record.new_id = ReadId(header, in);
  if (!in.ok() || !ReadText(in, record.name) || !ReadText(in, record.email)) {
    return "a log entry is cut off";
  }
  const auto time = ReadOffsetVarint(in);
  if (!time) return "bad time of a log entry";
  record.time = *time;
  record.zone = static_cast<int16_t>(in.U16());
  if (!ReadText(in, record.message)) return "a log entry is cut off";
  return {};
}

unsigned EncodeValue(const RefRecord& record, const TableHeader& header,
                     Bytes& out) {
  AppendOffsetVarint(record.update_index - header.min_update_index, out);
  if (record.deleted()) return kDeletion;
  if (record.ref.symbolic()) {
    WriteText(record.ref.symref_target, out);
    return kSymbolic;
  }
  Append(out, record.ref.target.bytes());
  Append(out, record.ref.peeled.bytes());
  return record.ref.peeled.empty() ? kDirect : kPeeled;
}

unsigned EncodeValue(const LogRecord& record, const TableHeader& /*header*/,
                     Bytes& out) {
  if (record.deleted()) return kDeletion;
  Append(out, record.old_id.bytes());
  Append(out, record.new_id.bytes());
  WriteText(record.name, out);
  WriteText(record.email, out);
  AppendOffsetVarint(record.time, out);
  ByteWriter(out).U16(static_cast<uint16_t>(record.zone));
  WriteText(record.message, out);
  return kLogEntry;
}

std::string_view FindProblem(const RefRecord& record,
                             const TableHeader& header) {
  const Ref& ref = record.ref;
  if (!IsStoredRefName(ref.name)) return "bad ref name";
  if (record.update_index < header.min_update_index ||
      record.update_index > header.max_update_index) {
    return "the update index is outside of the table's";
  }
  if (ref.symbolic()) {
    if (!ref.target.empty() || !ref.peeled.empty()) {
      return "a symbolic ref has an object id";
    }
    return IsStoredRefName(ref.symref_target) ? ""
                                              : "bad target of a symbolic ref";
  }
  if (ref.target.empty()) {
    return ref.peeled.empty() ? "" : "a deleted ref has an object id";
  }
  if (!HasFormat(ref.target, header) ||
      (!ref.peeled.empty() && !HasFormat(ref.peeled, header))) {
    return "an object id of another format";
  }
  return {};
}

std::string_view FindProblem(const LogRecord& record,
                             const TableHeader& header) {
  if (!IsStoredRefName(record.ref_name)) return "bad ref name";
  // As in Git, which also replaces and deletes older entries.
  if (record.update_index > header.max_update_index) {
    return "the update index is outside of the table's";
  }
  if (record.deleted()) {
    return record.old_id.empty() ? "" : "a log entry without a new object id";
  }
  if (!HasFormat(record.old_id, header) || !HasFormat(record.new_id, header)) {
    return "an object id of another format";
  }
  constexpr std::string_view kInIdentity("\0\n<>", 4);
  if (HasAny(record.name, kInIdentity) || HasAny(record.email, kInIdentity)) {
    return "bad identity in a log entry";
  }
  // A line end is the last byte, if there is one.
  std::string_view message = record.message;
  if (message.ends_with('\n')) message.remove_suffix(1);
  if (HasAny(message, {"\0\n", 2})) return "bad message of a log entry";
  return {};
}

}  // namespace zpack::reftable
