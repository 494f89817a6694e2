// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The records of reftables: values of refs, and entries of reflogs. Pure;
// values are thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "reftable/table_format.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"

namespace zpack::reftable {

// A ref, or the fact that a ref is gone.
struct RefRecord {
  static constexpr BlockType kBlockType = BlockType::kRef;

  // If neither `target` nor `symref_target` is set, the ref is deleted.
  Ref ref;
  // The transaction that changed the ref.
  uint64_t update_index = 0;

  bool deleted() const { return ref.target.empty() && !ref.symbolic(); }
  friend bool operator==(const RefRecord&, const RefRecord&) = default;
};

// An entry of a reflog, or the fact that an entry is gone.
struct LogRecord {
  static constexpr BlockType kBlockType = BlockType::kLog;

  std::string ref_name;
  // With `ref_name`, names the entry.
  uint64_t update_index = 0;
  // Both are empty if the entry is deleted.
  ObjectId old_id;
  ObjectId new_id;
  std::string name;
  std::string email;
  uint64_t time = 0;  // seconds since 1970
  // As stored. Git stores the decimal number of the digits that it shows: -130
  // for '-0130'. The specification asks for minutes.
  int16_t zone = 0;
  // Git ends each message with '\n'.
  std::string message;

  bool deleted() const { return new_id.empty(); }
  // True if both ids are zeros. Such an entry only says that the ref has a
  // reflog. Git does not show it.
  bool marks_existence() const;
  friend bool operator==(const LogRecord&, const LogRecord&) = default;
};

// True if Git accepts `name` as the name of a ref in a table: a name as
// IsValidRefName has it, or 'HEAD', 'ORIG_HEAD' or another name that is valid
// below 'refs/'.
bool IsStoredRefName(std::string_view name);

// The key by which a table orders its records. Keys are ordered byte by byte.
std::string KeyOf(const RefRecord& record);
std::string KeyOf(const LogRecord& record);

// Decodes the value of a record with the given key and value type. Returns what
// is wrong with the record; nothing if it is right. Names may be bad: Git keeps
// such records, also those that only say that the ref is gone.
std::string_view DecodeValue(std::string_view key, unsigned type,
                             const TableHeader& header, ByteReader& in,
                             RefRecord& record);
std::string_view DecodeValue(std::string_view key, unsigned type,
                             const TableHeader& header, ByteReader& in,
                             LogRecord& record);

// Appends the value of a record to `out` and returns its type.
unsigned EncodeValue(const RefRecord& record, const TableHeader& header,
                     Bytes& out);
unsigned EncodeValue(const LogRecord& record, const TableHeader& header,
                     Bytes& out);

// What keeps a record from being written to a table; nothing if it can be
// written, which also means that Git can read it.
std::string_view FindProblem(const RefRecord& record,
                             const TableHeader& header);
std::string_view FindProblem(const LogRecord& record,
                             const TableHeader& header);

}  // namespace zpack::reftable
