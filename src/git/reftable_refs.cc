// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/reftable_refs.h"

#include <algorithm>
#include <functional>
#include <utility>

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
  ZPACK_ASSIGN_OR_RETURN(const reftable::Stack stack,
                         OpenStack(directory, format));
  auto cursor = stack.Logs();
  reftable::LogRecord record;
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const bool found, cursor.Next(record));
    if (!found) return {};
    AddIfAny(record.old_id, tips);
    AddIfAny(record.new_id, tips);
  }
}

}  // namespace zpack
