// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/reftable_refs.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "git/files/directory_listing.h"
#include "git/refs/reflog_line.h"
#include "git/repository_layout.h"
#include "object/ref_name.h"
#include "reftable/reftable_stack.h"
#include "reftable/table_names.h"

namespace zpack {
namespace {

Result<reftable::Stack> OpenStack(const std::string& directory,
                                  ObjectFormat format) {
  const std::string stack = directory + "/reftable";
  // A stack without a list is empty, but the disk with this one may be away.
  for (const std::string& path :
       {stack, stack + '/' + std::string(reftable::kTablesList)}) {
    if (!LeadsNowhere(path)) continue;
    return MakeError(ErrorCode::kNotFound, "'{}' is a link that leads nowhere",
                     AtPath{path});
  }
  return reftable::Stack::Open(PosixFileSystem(), stack, format);
}

bool IsBelowRefs(std::string_view name) { return name.starts_with("refs/"); }

// Calls `visit` with each record of the cursor until it returns false.
template <typename Record, typename Visit>
Status ForEach(reftable::MergedCursor<Record> cursor, Visit visit) {
  Record record;
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const bool found, cursor.Next(record));
    if (!found || !visit(record)) return {};
  }
}

// The ref, not peeled.
Ref TakeRef(reftable::RefRecord& record) {
  record.ref.peeled = {};
  return record.ref;
}

// The reflogs of a stack whose names `belongs` accepts.
template <typename Belongs>
Result<std::map<std::string, std::string>> ReadLogsOf(
    const std::string& git_directory, ObjectFormat format, Belongs belongs) {
  // Lines from the newest to the oldest.
  std::map<std::string, std::vector<std::string>> lines;
  ZPACK_ASSIGN_OR_RETURN(const reftable::Stack stack,
                         OpenStack(git_directory, format));
  ZPACK_TRY(ForEach(stack.Logs(), [&](const reftable::LogRecord& record) {
    if (belongs(record.ref_name)) {
      auto& log = lines[record.ref_name];
      if (!record.marks_existence()) log.push_back(FormatReflogLine(record));
    }
    return true;
  }));
  std::map<std::string, std::string> logs;
  for (const auto& [name, log] : lines) {
    std::string& text = logs[name];
    for (const std::string& line : std::views::reverse(log)) text += line;
  }
  return logs;
}

// Adds a ref of the repository at `location`. Refuses a bad name, as for a ref
// in a file.
Status AddRef(const RepositoryLocation& location, reftable::RefRecord& record,
              std::map<std::string, Ref>& refs) {
  const std::string& name = record.ref.name;
  if (!IsValidRefName(name)) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "cannot read ref '{}' of '{}': bad name", name,
                     AtPath{location.name});
  }
  refs.emplace(name, TakeRef(record));
  return {};
}

bool IsLinked(const RepositoryLocation& location) {
  return location.git_directory != location.common_directory;
}

}  // namespace

Result<std::optional<Ref>> ReadReftableRef(const std::string& directory,
                                           ObjectFormat format,
                                           std::string_view name) {
  ZPACK_ASSIGN_OR_RETURN(const reftable::Stack stack,
                         OpenStack(directory, format));
  std::optional<Ref> found;
  ZPACK_TRY(ForEach(stack.Refs(), [&](reftable::RefRecord& record) {
    if (record.ref.name == name) found = TakeRef(record);
    return record.ref.name < name;
  }));
  return found;
}

Result<std::optional<Ref>> ReadReftableHead(const RepositoryLocation& location,
                                            ObjectFormat format) {
  return ReadReftableRef(location.git_directory, format, kHeadName);
}

Result<std::map<std::string, Ref>> ListReftableRefs(
    const RepositoryLocation& location, ObjectFormat format) {
  const bool linked = IsLinked(location);
  std::map<std::string, Ref> refs;
  ZPACK_ASSIGN_OR_RETURN(const reftable::Stack common,
                         OpenStack(location.common_directory, format));
  Status added;
  ZPACK_TRY(ForEach(common.Refs(), [&](reftable::RefRecord& record) {
    const std::string& name = record.ref.name;
    if (IsBelowRefs(name) && !(linked && IsPerWorktreeRef(name))) {
      added = AddRef(location, record, refs);
    }
    return added.has_value();
  }));
  ZPACK_TRY(added);
  if (!linked) return refs;
  ZPACK_ASSIGN_OR_RETURN(const reftable::Stack own,
                         OpenStack(location.git_directory, format));
  ZPACK_TRY(ForEach(own.Refs(), [&](reftable::RefRecord& record) {
    const std::string& name = record.ref.name;
    if (IsPerWorktreeRef(name)) added = AddRef(location, record, refs);
    return added.has_value();
  }));
  ZPACK_TRY(added);
  return refs;
}

Result<ReftableTips> ReadReftableTips(const std::string& directory,
                                      ObjectFormat format) {
  ReftableTips tips;
  ZPACK_ASSIGN_OR_RETURN(const reftable::Stack stack,
                         OpenStack(directory, format));
  ZPACK_TRY(ForEach(stack.Refs(), [&](const reftable::RefRecord& record) {
    const Ref& ref = record.ref;
    const bool counts = IsBelowRefs(ref.name) ? IsPerWorktreeRef(ref.name)
                                              : ref.name != "ORIG_HEAD";
    if (counts && !ref.symbolic() && !ref.target.is_null()) {
      tips.refs[ref.name].insert(ref.target);
    }
    return true;
  }));
  ZPACK_TRY(ForEach(stack.Logs(), [&](const reftable::LogRecord& record) {
    for (const ObjectId& id : {record.old_id, record.new_id}) {
      if (!id.is_null()) tips.logs[record.ref_name].insert(id);
    }
    return true;
  }));
  return tips;
}

Result<std::map<std::string, std::string>> ReadReftableLogs(
    const RepositoryLocation& location, ObjectFormat format) {
  const bool linked = IsLinked(location);
  const auto is_common = [&](std::string_view name) {
    return !linked || (IsBelowRefs(name) && !IsPerWorktreeRef(name));
  };
  ZPACK_ASSIGN_OR_RETURN(
      auto logs, ReadLogsOf(location.common_directory, format, is_common));
  if (linked) {
    ZPACK_ASSIGN_OR_RETURN(
        auto own,
        ReadLogsOf(location.git_directory, format, [](std::string_view name) {
          return !IsBelowRefs(name) || IsPerWorktreeRef(name);
        }));
    logs.merge(own);
  }
  return logs;
}

Result<std::optional<std::string>> ReadReftableHeadLog(
    const RepositoryLocation& location, ObjectFormat format) {
  ZPACK_ASSIGN_OR_RETURN(auto logs, ReadLogsOf(location.git_directory, format,
                                               [](std::string_view name) {
                                                 return name == kHeadName;
                                               }));
  if (logs.empty()) return std::nullopt;
  return std::move(logs.begin()->second);
}

}  // namespace zpack
