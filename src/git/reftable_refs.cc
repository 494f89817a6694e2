// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/reftable_refs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ranges>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "git/repository_layout.h"
#include "reftable/reftable_stack.h"

namespace zpack {
namespace {

Result<reftable::Stack> OpenStack(const std::string& directory,
                                  ObjectFormat format) {
  return reftable::Stack::Open(PosixFileSystem(), directory + "/reftable",
                               format);
}

bool IsBelowRefs(std::string_view name) { return name.starts_with("refs/"); }

// Calls `visit` for each ref of the stack, in the order of names.
Status ForEachRef(const std::string& directory, ObjectFormat format,
                  const std::function<void(Ref)>& visit) {
  ZPACK_ASSIGN_OR_RETURN(const reftable::Stack stack,
                         OpenStack(directory, format));
  auto cursor = stack.Refs();
  reftable::RefRecord record;
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const bool found, cursor.Next(record));
    if (!found) return {};
    record.ref.peeled = {};
    visit(std::move(record.ref));
  }
}

// Calls `visit` for each entry of the reflogs, newest first for each ref.
Status ForEachLog(
    const std::string& directory, ObjectFormat format,
    const std::function<void(const reftable::LogRecord&)>& visit) {
  ZPACK_ASSIGN_OR_RETURN(const reftable::Stack stack,
                         OpenStack(directory, format));
  auto cursor = stack.Logs();
  reftable::LogRecord record;
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const bool found, cursor.Next(record));
    if (!found) return {};
    visit(record);
  }
}

// A line of a reflog in a file. A line feed would end it.
std::string LogLine(const reftable::LogRecord& record) {
  std::string message = record.message;
  while (message.ends_with('\n')) message.pop_back();
  std::ranges::replace(message, '\n', ' ');
  return fmt::format("{} {} {} <{}> {} {:+05d}{}{}\n", record.old_id.ToHex(),
                     record.new_id.ToHex(), record.name, record.email,
                     record.time, record.zone, message.empty() ? "" : "\t",
                     message);
}

void AddIfAny(const ObjectId& id, std::set<ObjectId>& tips) {
  const auto is_zero = [](uint8_t byte) { return byte == 0; };
  if (!std::ranges::all_of(id.bytes(), is_zero)) tips.insert(id);
}

}  // namespace

Result<std::optional<Ref>> ReadReftableHead(const RepositoryLocation& location,
                                            ObjectFormat format) {
  std::optional<Ref> head;
  ZPACK_TRY(ForEachRef(location.git_directory, format, [&head](Ref ref) {
    if (ref.name == "HEAD") head = std::move(ref);
  }));
  return head;
}

Result<std::map<std::string, Ref>> ListReftableRefs(
    const RepositoryLocation& location, ObjectFormat format) {
  const bool linked = location.git_directory != location.common_directory;
  std::map<std::string, Ref> refs;
  ZPACK_TRY(ForEachRef(location.common_directory, format, [&](Ref ref) {
    if (!IsBelowRefs(ref.name) || (linked && IsPerWorktreeRef(ref.name))) {
      return;
    }
    refs.emplace_hint(refs.end(), ref.name, std::move(ref));
  }));
  if (!linked) return refs;
  ZPACK_TRY(ForEachRef(location.git_directory, format, [&](Ref ref) {
    if (IsPerWorktreeRef(ref.name)) refs.emplace(ref.name, std::move(ref));
  }));
  return refs;
}

Status AddReftableTips(const std::string& directory, ObjectFormat format,
                       std::set<ObjectId>& tips) {
  ZPACK_TRY(ForEachRef(directory, format, [&](const Ref& ref) {
    const bool counts = IsBelowRefs(ref.name) ? IsPerWorktreeRef(ref.name)
                                              : ref.name != "ORIG_HEAD";
    if (counts && !ref.symbolic()) AddIfAny(ref.target, tips);
  }));
  return ForEachLog(directory, format, [&](const reftable::LogRecord& record) {
    AddIfAny(record.old_id, tips);
    AddIfAny(record.new_id, tips);
  });
}

Result<std::map<std::string, std::string>> ReadReftableLogs(
    const RepositoryLocation& location, ObjectFormat format) {
  // Lines from the newest to the oldest.
  std::map<std::string, std::vector<std::string>> lines;
  const auto take = [&](const reftable::LogRecord& record) {
    auto& log = lines[record.ref_name];
    if (!record.marks_existence()) log.push_back(LogLine(record));
  };
  ZPACK_TRY(ForEachLog(location.common_directory, format,
                       [&](const reftable::LogRecord& record) {
                         if (IsBelowRefs(record.ref_name) &&
                             !IsPerWorktreeRef(record.ref_name)) {
                           take(record);
                         }
                       }));
  ZPACK_TRY(ForEachLog(location.git_directory, format,
                       [&](const reftable::LogRecord& record) {
                         if (record.ref_name == "HEAD") take(record);
                       }));
  std::map<std::string, std::string> logs;
  for (const auto& [name, log] : lines) {
    std::string& text = logs[name];
    for (const std::string& line : std::views::reverse(log)) text += line;
  }
  return logs;
}

}  // namespace zpack
