// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/revision_resolver.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "history/commit_search.h"
#include "object/object_links.h"

namespace zpack {
namespace {

// The entry `name` of a tree; an entry with an empty id if there is none.
TreeEntry FindEntry(ByteView tree, ObjectFormat format, std::string_view name) {
  TreeIterator entries(tree, format);
  TreeEntry entry;
  while (entries.Next(entry)) {
    if (entry.name == name) return entry;
  }
  return {};
}

// What a name must lead to for the step or path that follows it, if that says
// so.
std::optional<ObjectType> TypeNeeded(const RevisionName& parsed) {
  using enum RevisionStep::Kind;
  if (parsed.steps.empty()) {
    return parsed.path ? std::optional(ObjectType::kTree) : std::nullopt;
  }
  const RevisionStep& first = parsed.steps.front();
  switch (first.kind) {
    case kParent:
    case kAncestor:
    case kSearch:
      return ObjectType::kCommit;
    case kPeel:
      if (first.type == ObjectType::kCommit ||
          first.type == ObjectType::kTree) {
        return first.type;
      }
      return std::nullopt;
    case kPeelTag:
    case kObject:
      return std::nullopt;
  }
  return std::nullopt;
}

// A clear answer for names that only a repository can resolve.
Status CheckSupported(const RevisionName& parsed, std::string_view name) {
  if (parsed.base.find("@{") != std::string_view::npos) {
    return MakeError(ErrorCode::kNotFound,
                     "'{}' is not supported: names do not use reflogs or "
                     "settings of a .zpack file",
                     name);
  }
  if (name.starts_with(':')) {
    return MakeError(ErrorCode::kNotFound,
                     "'{}' is not supported: a .zpack file has no index", name);
  }
  if (parsed.path &&
      (parsed.path->starts_with("./") || parsed.path->starts_with("../"))) {
    return MakeError(ErrorCode::kNotFound,
                     "'{}' is not supported: a .zpack file has no current "
                     "directory",
                     name);
  }
  return {};
}

}  // namespace

RevisionResolver::RevisionResolver(const ArchiveFile& archive,
                                   ObjectLocator& locator,
                                   ObjectReader& objects, NameResolver& names)
    : archive_(archive), locator_(locator), objects_(objects), names_(names) {}

Result<ObjectId> RevisionResolver::Resolve(std::string_view name) {
  // Like Git, takes :/ alone for a path in the index.
  if (name.starts_with(":/") && name.size() > 2) {
    return Search(name.substr(2), SearchStarts(archive_));
  }
  const RevisionName parsed = ParseRevisionName(name);
  ZPACK_TRY(CheckSupported(parsed, name));
  NameResolver::Wanted wanted;
  if (const auto type = TypeNeeded(parsed)) {
    wanted = [this, type](const ObjectId& id) {
      return Peel(id, type).has_value();
    };
  }
  ZPACK_ASSIGN_OR_RETURN(ObjectId id, names_.Resolve(parsed.base, wanted));
  for (const RevisionStep& step : parsed.steps) {
    ZPACK_ASSIGN_OR_RETURN(id, Follow(id, step, name));
  }
  if (!parsed.path) return id;
  ZPACK_ASSIGN_OR_RETURN(id, Peel(id, ObjectType::kTree));
  return FindPath(id, *parsed.path, name);
}

std::string_view RevisionResolver::AmbiguousRef(std::string_view name) {
  if (name.starts_with(':')) return {};
  const std::string_view base = ParseRevisionName(name).base;
  return names_.IsAmbiguous(base) ? base : std::string_view();
}

Result<ObjectId> RevisionResolver::Follow(const ObjectId& id,
                                          const RevisionStep& step,
                                          std::string_view name) {
  using enum RevisionStep::Kind;
  switch (step.kind) {
    case kObject:
      return id;
    case kPeelTag:
      return Peel(id, std::nullopt);
    case kPeel:
      return Peel(id, step.type);
    case kSearch: {
      // Like Git, takes ^{/} alone for the commit itself.
      ZPACK_ASSIGN_OR_RETURN(const ObjectId start,
                             Peel(id, ObjectType::kCommit));
      return step.text.empty() ? start : Search(step.text, {start});
    }
    case kParent:
    case kAncestor:
      break;
  }
  const bool parent = step.kind == kParent;
  ZPACK_ASSIGN_OR_RETURN(ObjectId commit, Peel(id, ObjectType::kCommit));
  const uint32_t generations = parent ? (step.number > 0 ? 1 : 0) : step.number;
  const size_t index = parent && step.number > 0 ? step.number - 1 : 0;
  for (uint32_t i = 0; i < generations; ++i) {
    ZPACK_ASSIGN_OR_RETURN(const auto parents, Parents(commit));
    if (index >= parents.size()) {
      return MakeError(ErrorCode::kNotFound,
                       "'{}' leads beyond commit {}, which has {} {}", name,
                       commit, parents.size(),
                       parents.size() == 1 ? "parent" : "parents");
    }
    commit = parents[index];
  }
  return commit;
}

Result<ObjectId> RevisionResolver::Search(std::string_view text,
                                          const std::vector<ObjectId>& starts) {
  return FindCommitByMessage(
      archive_, starts, text,
      [this](const ObjectId& id) { return Content(id); });
}

Result<ObjectId> RevisionResolver::Peel(ObjectId id,
                                        std::optional<ObjectType> type) {
  const ObjectId start = id;
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectType actual, TypeOf(id));
    if (type ? actual == *type : actual != ObjectType::kTag) return id;
    const bool leads_on =
        actual == ObjectType::kTag ||
        (actual == ObjectType::kCommit && type == ObjectType::kTree);
    if (!leads_on) {
      return MakeError(ErrorCode::kNotFound, "{} {} does not lead to a {}",
                       ObjectTypeName(actual), start,
                       ObjectTypeName(type.value_or(ObjectType::kTag)));
    }
    ZPACK_ASSIGN_OR_RETURN(id, FirstLink(id, actual));
  }
}

Result<ObjectId> RevisionResolver::FirstLink(const ObjectId& id,
                                             ObjectType type) {
  ZPACK_ASSIGN_OR_RETURN(const Bytes content, Content(id));
  const ObjectFormat format = archive_.header().object_format;
  ObjectId link = type == ObjectType::kTag
                      ? ParseTagTarget(content, format)
                      : ParseCommitLinks(content, format).tree;
  if (link.empty()) {
    return MakeError(ErrorCode::kNotFound, "{} {} names no object",
                     ObjectTypeName(type), id);
  }
  return link;
}

Result<std::vector<ObjectId>> RevisionResolver::Parents(
    const ObjectId& commit) {
  if (std::ranges::binary_search(archive_.refs().shallow, commit)) {
    return std::vector<ObjectId>();
  }
  ZPACK_ASSIGN_OR_RETURN(const Bytes content, Content(commit));
  return ParseCommitLinks(content, archive_.header().object_format).parents;
}

Result<ObjectId> RevisionResolver::FindPath(ObjectId tree,
                                            std::string_view path,
                                            std::string_view name) {
  const std::string_view whole = path;
  while (!path.empty()) {
    ZPACK_ASSIGN_OR_RETURN(const Bytes content, Content(tree));
    const size_t slash = path.find('/');
    const TreeEntry entry = FindEntry(content, archive_.header().object_format,
                                      path.substr(0, slash));
    const bool needs_tree = slash != std::string_view::npos;
    if (entry.id.empty() || (needs_tree && !entry.is_tree())) {
      const std::string_view revision =
          name.substr(0, name.size() - whole.size() - 1);
      return MakeError(ErrorCode::kNotFound, "path '{}' does not exist in '{}'",
                       whole, revision);
    }
    tree = ObjectId(entry.id);
    path = needs_tree ? path.substr(slash + 1) : "";
  }
  return tree;
}

Result<ObjectType> RevisionResolver::TypeOf(const ObjectId& id) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info, names_.ReadInfo(id));
  return info.type;
}

Result<Bytes> RevisionResolver::Content(const ObjectId& id) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, locator_.Find(id));
  Bytes content;
  ZPACK_TRY(objects_.Read(number, id, content));
  return content;
}

}  // namespace zpack
