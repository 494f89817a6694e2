// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a stack of reftables holds, as the texts of
// tools/dev/make-reftable-fixtures have it. Functions without state.

#pragma once

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "reftable/merged_cursor.h"
#include "reftable/reftable_stack.h"
#include "support/temp_dir.h"

namespace zpack::testing {

inline std::string ReftableFixture(const std::string& name) {
  return std::string(ZPACK_REFTABLES) + '/' + name;
}

inline ObjectFormat FormatOfFixture(const std::string& name) {
  return name == "sha256" ? ObjectFormat::kSha256 : ObjectFormat::kSha1;
}

inline std::string TextOf(const reftable::RefRecord& record) {
  const Ref& ref = record.ref;
  std::string text = ref.name + ' ';
  if (ref.symbolic()) return text + "-> " + ref.symref_target + '\n';
  text += ref.target.ToHex();
  if (!ref.peeled.empty()) text += " ^" + ref.peeled.ToHex();
  return text + '\n';
}

// As a line of a reflog, after the name of the ref.
inline std::string TextOf(const reftable::LogRecord& record) {
  std::string message = record.message;
  if (message == "\n") message.clear();
  return fmt::format("{} {} {} {} <{}> {} {:+05}{}{}{}", record.ref_name,
                     record.old_id.ToHex(), record.new_id.ToHex(), record.name,
                     record.email, record.time, record.zone,
                     message.empty() ? "" : "\t", message,
                     message.ends_with('\n') ? "" : "\n");
}

inline Result<std::string> RefsText(const reftable::Stack& stack) {
  std::string text;
  auto cursor = stack.Refs();
  reftable::RefRecord record;
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const bool found, cursor.Next(record));
    if (!found) return text;
    text += TextOf(record);
  }
}

// The oldest entry of each ref first.
inline Result<std::string> LogsText(const reftable::Stack& stack) {
  std::string text;
  std::string of_ref;
  std::string name;
  auto cursor = stack.Logs();
  reftable::LogRecord record;
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const bool found, cursor.Next(record));
    if (!found || record.ref_name != name) {
      text += of_ref;
      of_ref.clear();
      name = record.ref_name;
    }
    if (!found) return text;
    if (!record.marks_existence()) of_ref = TextOf(record) + of_ref;
  }
}

}  // namespace zpack::testing
