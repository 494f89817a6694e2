// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/revision_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "read/resolve_name.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

// Like Git, takes an abbreviation of several ids for the only one that leads to
// a commit.
Result<ObjectId> Resolve(const ArchiveReader& reader, std::string_view name,
                         WalkOptions& walk, std::ostream& err) {
  WarnIfAmbiguous(reader, name, err);
  auto id = reader.Resolve(name);
  if (!id && id.error().code == ErrorCode::kAmbiguous) {
    auto commit = reader.Resolve(fmt::format("{}^0", name));
    if (commit || commit.error().code == ErrorCode::kAmbiguous) return commit;
  }
  // The commits on the way to an ancestor are read, which matters for objects.
  const size_t suffix = std::min(name.find_first_of("^~"), name.size());
  if (id && suffix < name.size() && walk.objects == WalkObjects::kAll) {
    const auto from =
        reader.Resolve(fmt::format("{}^0", name.substr(0, suffix)));
    if (from) walk.read_before.push_back(*from);
  }
  return id;
}

// The parents of the commit that object `id` leads to.
Result<std::vector<ObjectId>> ParentsOf(const ArchiveReader& reader,
                                        const ObjectId& id, WalkOptions& walk) {
  const auto commit = reader.Peel(id, ObjectType::kCommit);
  if (!commit) return std::unexpected(commit.error());
  walk.read_before.push_back(*commit);
  std::vector<ObjectId> parents;
  while (true) {
    const auto parent = reader.Resolve(
        fmt::format("{}^{}", commit->ToHex(), parents.size() + 1));
    if (!parent && parent.error().code == ErrorCode::kNotFound) return parents;
    if (!parent) return std::unexpected(parent.error());
    parents.push_back(*parent);
  }
}

// '<a>..<b>' and '<a>...<b>', where a missing side is HEAD.
struct Dots {
  std::string_view left;
  std::string_view right;
  bool symmetric = false;
};

std::optional<Dots> FindDots(std::string_view revision) {
  const size_t at = revision.find("..");
  if (at == std::string_view::npos || revision == "..") return std::nullopt;
  Dots dots;
  dots.symmetric = revision.substr(at).starts_with("...");
  dots.left = revision.substr(0, at);
  dots.right = revision.substr(at + (dots.symmetric ? 3 : 2));
  if (dots.left.empty()) dots.left = "HEAD";
  if (dots.right.empty()) dots.right = "HEAD";
  return dots;
}

// Adds the object `id`, which a word calls `name`, after everything that was
// named before.
void Add(bool wanted, const ObjectId& id, std::string_view name,
         WalkOptions& walk) {
  if (wanted) {
    walk.start_paths.resize(walk.starts.size());
    walk.start_paths.emplace_back(ArchiveReader::PathIn(name));
    walk.starts.push_back(id);
    return;
  }
  walk.excluded.push_back(id);
  walk.excluded_after.push_back(walk.starts.size());
}

Status AddDots(const ArchiveReader& reader, const Dots& dots,
               const ObjectId& left, const ObjectId& right, WalkOptions& walk) {
  if (!dots.symmetric) {
    Add(false, left, dots.left, walk);
    Add(true, right, dots.right, walk);
    return {};
  }
  const auto a = reader.Peel(left, ObjectType::kCommit);
  if (!a) return std::unexpected(a.error());
  const auto b = reader.Peel(right, ObjectType::kCommit);
  if (!b) return std::unexpected(b.error());
  const auto bases = reader.MergeBases(*a, *b);
  if (!bases) return std::unexpected(bases.error());
  walk.read_before.insert(walk.read_before.end(), {*a, *b});
  for (const ObjectId& base : *bases) Add(false, base, {}, walk);
  // As the user named them: annotated tags are listed, too.
  Add(true, left, dots.left, walk);
  Add(true, right, dots.right, walk);
  return {};
}

// The suffix '^-' or '^-<n>' with the number of a parent; nothing without it.
std::optional<size_t> TakeMinus(std::string_view& revision) {
  const size_t at = revision.rfind("^-");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = revision.substr(at + 2);
  size_t number = 1;
  if (!digits.empty()) {
    const auto [end, error] =
        std::from_chars(digits.begin(), digits.end(), number);
    if (error != std::errc() || end != digits.end()) return std::nullopt;
  }
  revision = revision.substr(0, at);
  return number;
}

// Where the commits that a word names go.
struct Side {
  WalkOptions& walk;
  bool wanted = true;  // false after '^'
};

// `revision` without the suffix '^!' or '^-<n>', which leaves out parents.
Status AddWithoutParents(const ArchiveReader& reader, std::string_view revision,
                         std::optional<size_t> only, const Side& to,
                         std::ostream& err) {
  const auto id = Resolve(reader, revision, to.walk, err);
  if (!id) return std::unexpected(id.error());
  auto parents = ParentsOf(reader, *id, to.walk);
  if (!parents) return std::unexpected(parents.error());
  if (only && (*only == 0 || *only > parents->size())) {
    return std::unexpected(Error{
        .code = ErrorCode::kNotFound,
        .message =
            fmt::format("'{}' has no parent {}", QuoteName(revision), *only)});
  }
  if (only) *parents = {(*parents)[*only - 1]};
  for (const ObjectId& parent : *parents) Add(!to.wanted, parent, {}, to.walk);
  Add(to.wanted, *id, revision, to.walk);
  return {};
}

}  // namespace

Status AddRevision(const ArchiveReader& reader, std::string_view revision,
                   WalkOptions& walk, std::ostream& err) {
  if (const auto dots = FindDots(revision)) {
    const auto left = Resolve(reader, dots->left, walk, err);
    const auto right = left ? Resolve(reader, dots->right, walk, err) : left;
    if (right) return AddDots(reader, *dots, *left, *right, walk);
    // Dots may also be part of a path, as in 'HEAD:a..b'.
    const auto whole = Resolve(
        reader, revision.substr(revision.starts_with('^') ? 1 : 0), walk, err);
    if (!whole) return std::unexpected(right.error());
  }
  std::string_view name = revision;
  const Side to{walk, !name.starts_with('^')};
  if (!to.wanted) name.remove_prefix(1);
  if (name.ends_with("^@")) {
    name.remove_suffix(2);
    const auto id = Resolve(reader, name, walk, err);
    if (!id) return std::unexpected(id.error());
    const auto parents = ParentsOf(reader, *id, walk);
    if (!parents) return std::unexpected(parents.error());
    for (const ObjectId& parent : *parents) Add(to.wanted, parent, {}, walk);
    return {};
  }
  if (name.ends_with("^!")) {
    name.remove_suffix(2);
    return AddWithoutParents(reader, name, std::nullopt, to, err);
  }
  if (const auto only = TakeMinus(name)) {
    return AddWithoutParents(reader, name, only, to, err);
  }
  const auto id = Resolve(reader, name, walk, err);
  if (!id) return std::unexpected(id.error());
  Add(to.wanted, *id, name, walk);
  return {};
}

void AddAllRefs(WalkOptions& walk) {
  // What is named again changes nothing.
  if (walk.refs == WalkRefs::kAll) return;
  walk.refs = WalkRefs::kAll;
  walk.starts_before_refs = walk.starts.size();
  walk.excluded_before_refs = walk.excluded.size();
}

}  // namespace zpack::cli
