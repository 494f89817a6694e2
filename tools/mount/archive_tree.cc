// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "archive_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "read/tree_walk.h"

namespace zpack::mount {
namespace {

constexpr uint64_t kListingBytes = uint64_t{32} << 20;
constexpr size_t kListings = 10'000;
// Git takes no abbreviation shorter than this.
constexpr size_t kMinAbbreviation = 4;
// Linux takes a target that, with its NUL, fits a page.
constexpr uint64_t kMaxTarget = 4095;
constexpr std::string_view kBranchPrefix = "refs/heads/";
constexpr std::string_view kTagPrefix = "refs/tags/";
constexpr uint32_t kTreeMode = 0040000;

constexpr std::string_view kHead = "HEAD";
constexpr std::string_view kBranches = "branches";
constexpr std::string_view kTags = "tags";
constexpr std::string_view kCommits = "commits";

std::unexpected<Error> WrongType(const ObjectId& id, ObjectType type,
                                 std::string_view expected) {
  return std::unexpected(
      Error{ErrorCode::kCorrupt,
            fmt::format("object {} is a {}, not a {}", id.ToHex(),
                        ObjectTypeName(type), expected),
            id});
}

// CommitTime gives a negative number as its complement, and the maximum for one
// that is too large.
int64_t SecondsOf(std::span<const uint8_t> commit) {
  const uint64_t time = CommitTime(commit);
  return time == std::numeric_limits<uint64_t>::max()
             ? std::numeric_limits<int64_t>::max()
             : static_cast<int64_t>(time);
}

}  // namespace

ArchiveTree::ArchiveTree(const ArchiveReader& reader)
    : reader_(reader),
      refs_(reader.refs()),
      listings_(kListingBytes, kListings),
      ref_listings_(kListingBytes, kListings) {}

int64_t ArchiveTree::TimeOf(const Place& place) const {
  if (place.origin) return place.origin->time;
  std::call_once(head_found_, [&] {
    const ObjectId head = HeadObject();
    if (head.empty()) return;
    if (const auto found = PlaceOfObject(head)) {
      head_time_ = found->origin->time;
    }
  });
  return head_time_;
}

Result<std::optional<Place>> ArchiveTree::Find(const Place& directory,
                                               std::string_view name) const {
  switch (directory.kind) {
    case PlaceKind::kRoot:
      if (name == kHead) return Place{.kind = PlaceKind::kHead};
      if (name == kCommits) {
        return Place{.kind = PlaceKind::kCommits};
      }
      for (const auto& [shown, index] :
           {std::pair(kBranches, RefDirectories::kBranches),
            std::pair(kTags, RefDirectories::kTags)}) {
        if (name == shown) {
          return Place{.kind = PlaceKind::kRefs, .ref_directory = index};
        }
      }
      return std::nullopt;
    case PlaceKind::kRefs: {
      const auto entry = refs_.Find(directory.ref_directory, name);
      if (!entry) return std::nullopt;
      if (entry->directory) {
        return Place{.kind = PlaceKind::kRefs,
                     .ref_directory = *entry->directory};
      }
      const Ref& ref = *entry->ref;
      return PlaceOfObject(ref.peeled.empty() ? ref.target : ref.peeled);
    }
    case PlaceKind::kCommits:
      return FindCommit(name);
    case PlaceKind::kTree: {
      const auto listing = List(directory);
      if (!listing) return std::unexpected(listing.error());
      const ListedEntry* const entry = (*listing)->Find(name);
      if (entry == nullptr) return std::nullopt;
      return PlaceOf(directory, *entry);
    }
    default:
      return std::nullopt;
  }
}

Place ArchiveTree::PlaceOf(const Place& tree, const ListedEntry& entry) {
  Place place{.id = entry.id, .origin = tree.origin};
  switch (entry.mode) {
    case kTreeMode:
      place.kind = PlaceKind::kTree;
      break;
    case 0120000:
      place.kind = PlaceKind::kLink;
      break;
    case 0160000:
      place.kind = PlaceKind::kSubmodule;
      break;
    default:
      place.kind = PlaceKind::kFile;
      place.executable = entry.mode == 0100755;
  }
  return place;
}

Result<Place> ArchiveTree::PlaceOfObject(const ObjectId& id) const {
  const auto info = reader_.ReadInfo(id);
  if (!info) return std::unexpected(info.error());
  switch (info->type) {
    case ObjectType::kCommit:
      return PlaceOfCommit(id);
    case ObjectType::kTree:
    case ObjectType::kBlob:
      return Place{.kind = info->type == ObjectType::kTree ? PlaceKind::kTree
                                                           : PlaceKind::kFile,
                   .id = id,
                   .origin = std::make_shared<const Origin>()};
    default:
      // A chain of tags that does not end.
      return WrongType(id, info->type, "commit");
  }
}

Result<Place> ArchiveTree::PlaceOfCommit(const ObjectId& id) const {
  const auto commit = reader_.Read(id);
  if (!commit) return std::unexpected(commit.error());
  const auto tree = reader_.Peel(id, ObjectType::kTree);
  if (!tree) return std::unexpected(tree.error());
  return Place{.kind = PlaceKind::kTree,
               .id = *tree,
               .origin = std::make_shared<const Origin>(
                   Origin{id, SecondsOf(commit->content)})};
}

Result<std::optional<Place>> ArchiveTree::FindCommit(
    std::string_view name) const {
  constexpr std::string_view kHex = "0123456789abcdef";
  const size_t whole = ObjectIdWidth(reader_.object_format()) * 2;
  if (name.size() < kMinAbbreviation || name.size() > whole ||
      name.find_first_not_of(kHex) != std::string_view::npos) {
    return std::nullopt;
  }
  const auto id = reader_.ResolveAbbreviation(name);
  if (!id) {
    if (id.error().code == ErrorCode::kNotFound ||
        id.error().code == ErrorCode::kAmbiguous) {
      return std::nullopt;
    }
    return std::unexpected(id.error());
  }
  const auto info = reader_.ReadInfo(*id);
  if (!info) return std::unexpected(info.error());
  if (info->type != ObjectType::kCommit) return std::nullopt;
  return PlaceOfCommit(*id);
}

std::shared_ptr<const DirectoryListing> ArchiveTree::ListRefs(
    size_t directory) const {
  if (auto known = ref_listings_.Find(directory)) return *std::move(known);
  auto listing =
      std::make_shared<const DirectoryListing>(refs_.List(directory));
  ref_listings_.Insert(directory, listing, listing->memory());
  return listing;
}

Result<std::shared_ptr<const DirectoryListing>> ArchiveTree::List(
    const Place& directory) const {
  switch (directory.kind) {
    case PlaceKind::kRoot:
      return std::make_shared<const DirectoryListing>(
          std::vector<ListedEntry>{{kHead, 0120000, {}},
                                   {kBranches, kTreeMode, {}},
                                   {kCommits, kTreeMode, {}},
                                   {kTags, kTreeMode, {}}});
    case PlaceKind::kRefs:
      return ListRefs(directory.ref_directory);
    case PlaceKind::kTree:
      break;
    default:
      return std::make_shared<const DirectoryListing>(
          std::vector<ListedEntry>());
  }
  if (auto known = listings_.Find(directory.id)) return *std::move(known);
  auto content = cli::ReadTree(reader_, directory.id);
  if (!content) return std::unexpected(content.error());
  auto listing =
      DirectoryListing::OfTree(*std::move(content), reader_.object_format());
  if (!listing) {
    Error error = std::move(listing).error();
    error.message =
        fmt::format("tree {}: {}", directory.id.ToHex(), error.message);
    error.object = directory.id;
    return std::unexpected(std::move(error));
  }
  auto shared = std::make_shared<const DirectoryListing>(*std::move(listing));
  listings_.Insert(directory.id, shared, shared->memory());
  return shared;
}

Result<uint64_t> ArchiveTree::SizeOf(const Place& place) const {
  if (place.kind == PlaceKind::kHead) return TargetOfHead().size();
  if (IsDirectory(place.kind)) return 0;
  const auto info = reader_.ReadInfo(place.id);
  if (!info) return std::unexpected(info.error());
  if (info->type != ObjectType::kBlob) {
    return WrongType(place.id, info->type, "blob");
  }
  return info->size;
}

ObjectId ArchiveTree::HeadObject() const {
  const ObjectId id = reader_.refs().Resolve(kHead);
  if (id.empty()) return id;
  const auto commit = reader_.Peel(id, ObjectType::kCommit);
  return commit ? *commit : id;
}

std::string ArchiveTree::TargetOfHead() const {
  const std::string_view name = reader_.refs().head_symref;
  for (const auto& [prefix, directory] :
       {std::pair(kBranchPrefix, kBranches), std::pair(kTagPrefix, kTags)}) {
    if (name.starts_with(prefix)) {
      return fmt::format("{}/{}", directory, name.substr(prefix.size()));
    }
  }
  // Of refs elsewhere there is no directory.
  const ObjectId id = HeadObject();
  return id.empty() ? std::string(name)
                    : fmt::format("{}/{}", kCommits, id.ToHex());
}

Result<std::string> ArchiveTree::TargetOf(const Place& link) const {
  if (link.kind == PlaceKind::kHead) return TargetOfHead();
  const auto size = SizeOf(link);
  if (!size) return std::unexpected(size.error());
  if (*size > kMaxTarget) {
    return std::unexpected(
        Error{ErrorCode::kLimitExceeded,
              fmt::format("symbolic link {} of {} bytes is above the limit of "
                          "{}",
                          link.id.ToHex(), *size, kMaxTarget),
              link.id});
  }
  const auto object = reader_.Read(link.id);
  if (!object) return std::unexpected(object.error());
  return std::string(object->content.begin(), object->content.end());
}

std::vector<std::pair<std::string, std::string>> ArchiveTree::AttributesOf(
    const Place& place) {
  std::vector<std::pair<std::string, std::string>> attributes;
  if (place.id.empty() || IsLink(place.kind)) return attributes;
  ObjectType type = ObjectType::kBlob;
  if (place.kind == PlaceKind::kTree) type = ObjectType::kTree;
  if (place.kind == PlaceKind::kSubmodule) type = ObjectType::kCommit;
  attributes.emplace_back("user.git.id", place.id.ToHex());
  attributes.emplace_back("user.git.type", ObjectTypeName(type));
  if (place.origin && !place.origin->commit.empty()) {
    attributes.emplace_back("user.git.commit", place.origin->commit.ToHex());
  }
  return attributes;
}

}  // namespace zpack::mount
