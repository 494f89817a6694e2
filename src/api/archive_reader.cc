// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/archive_reader.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/hex.h"
#include "base/visitor.h"
#include "git/line_diff.h"
#include "history/commit_ancestry.h"
#include "history/name_resolver.h"
#include "history/revision_name.h"
#include "history/revision_resolver.h"
#include "history/revision_walk.h"
#include "http/open_file.h"
#include "log/list_commits.h"
#include "object/object_links.h"
#include "reader/archive_file.h"
#include "reader/backing_finder.h"
#include "reader/bulk_reader.h"
#include "reader/dependent_files.h"
#include "reader/describe_file.h"
#include "reader/object_locator.h"
#include "reader/object_reader.h"
#include "reader/repository_file_reader.h"
#include "search/history_search.h"
#include "search/tree_search.h"

namespace zpack {

uint64_t CommitTime(std::span<const uint8_t> content) {
  return ParseCommitTime(content);
}

struct ArchiveReader::State {
  explicit State(std::unique_ptr<ArchiveFile> file)
      : archive(std::move(file)),
        locator(*archive),
        objects(*archive),
        names(*archive, locator, objects),
        revisions(*archive, locator, objects, names) {}

  // For Read and Stream; all else hashes what it reads.
  HashObject hash() const {
    return archive->options().hash_objects ? HashObject::kYes : HashObject::kNo;
  }

  std::unique_ptr<ArchiveFile> archive;
  ObjectLocator locator;
  ObjectReader objects;
  NameResolver names;
  RevisionResolver revisions;
};

ArchiveReader::ArchiveReader(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
ArchiveReader::~ArchiveReader() = default;

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::Open(
    const std::string& path, const ReadOptions& options, std::stop_token stop) {
  return Guarded([&]() -> Result<std::unique_ptr<ArchiveReader>> {
    ZPACK_ASSIGN_OR_RETURN(auto file, OpenForReading(path, options, stop));
    ZPACK_ASSIGN_OR_RETURN(
        auto archive, ArchiveFile::OpenWithoutIndex(std::move(file), options));
    return std::unique_ptr<ArchiveReader>(
        new ArchiveReader(std::make_unique<State>(std::move(archive))));
  });
}

ObjectFormat ArchiveReader::object_format() const {
  return state_->archive->header().object_format;
}
const RefsSnapshot& ArchiveReader::refs() const {
  return state_->archive->refs();
}
uint32_t ArchiveReader::object_count() const {
  return state_->archive->object_count();
}
std::string ArchiveReader::file_hash() const {
  return ToHex(state_->archive->trailer().file_hash);
}
ReadCost ArchiveReader::read_cost() const {
  return state_->archive->blocks().read_cost();
}

Status ArchiveReader::ForEachId(
    IdOrder order,
    const std::function<Result<Visit>(const ObjectId&)>& visit) const {
  return Guarded([&]() -> Status {
    const ArchiveFile& archive = *state_->archive;
    ZPACK_TRY(archive.LoadIndex());
    for (uint32_t i = 0; i < archive.object_count(); ++i) {
      const FileRank rank = order == IdOrder::kStorage
                                ? archive.rank(ObjectNumber(i))
                                : FileRank(i);
      ZPACK_VISIT(visit(archive.ids()[rank]), {});
    }
    return {};
  });
}

Result<bool> ArchiveReader::Contains(const ObjectId& id) const {
  return Guarded([&]() -> Result<bool> {
    const Status found = state_->locator.Contains(id);
    if (found) return true;
    if (found.error().code == ErrorCode::kNotFound) return false;
    return std::unexpected(found.error());
  });
}

Result<ObjectId> ArchiveReader::Resolve(std::string_view name) const {
  return Guarded([&] { return state_->revisions.Resolve(name); });
}

std::string_view ArchiveReader::AmbiguousRef(std::string_view name) const {
  return Guarded([&]() -> Result<std::string_view> {
           return state_->revisions.AmbiguousRef(name);
         })
      .value_or(std::string_view());
}

std::string_view ArchiveReader::PathIn(std::string_view name) {
  return PathOfName(name).value_or(std::string_view());
}

bool ArchiveReader::UsesParents(std::string_view name) {
  return Guarded([&]() -> Result<bool> { return zpack::UsesParents(name); })
      .value_or(false);
}

Result<ObjectId> ArchiveReader::Peel(const ObjectId& id,
                                     ObjectType type) const {
  return Guarded([&] { return state_->revisions.Peel(id, type); });
}

Result<ObjectId> ArchiveReader::ResolveAbbreviation(
    std::string_view abbreviation) const {
  return Guarded(
      [&] { return state_->names.ResolveAbbreviation(abbreviation); });
}

Result<std::vector<ObjectId>> ArchiveReader::MergeBases(
    const ObjectId& a, const ObjectId& b) const {
  return Guarded([&]() -> Result<std::vector<ObjectId>> {
    ZPACK_TRY(state_->archive->LoadIndex());
    return FindMergeBases(*state_->archive, a, b);
  });
}

Result<ObjectInfo> ArchiveReader::ReadInfo(const ObjectId& id) const {
  return Guarded([&] { return state_->names.ReadInfo(id); });
}

Result<Object> ArchiveReader::Read(const ObjectId& id) const {
  return Guarded([&]() -> Result<Object> {
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, state_->locator.Find(id));
    Bytes content;
    const Result<ObjectType> type =
        state_->objects.Read(number, id, content, state_->hash());
    if (!type) return std::unexpected(type.error());
    return Object{*type, {content.begin(), content.end()}};
  });
}

Status ArchiveReader::Stream(
    const ObjectId& id,
    const std::function<Result<Visit>(std::span<const uint8_t>)>& piece) const {
  return Guarded([&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, state_->locator.Find(id));
    return state_->objects.Stream(
        number, id, [](const ObjectInfo&) { return Status{}; }, piece,
        state_->hash());
  });
}

Result<ContentPart> ArchiveReader::ReadPart(const ObjectId& id,
                                            uint64_t offset) const {
  return Guarded([&]() -> Result<ContentPart> {
    // The content of a segment does not prove which object it belongs to.
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number,
                           state_->locator.FindChecked(id));
    return state_->objects.ReadPart(number, id, offset, state_->hash());
  });
}

Status ArchiveReader::ReadAll(
    const BulkOptions& options,
    const std::function<Result<Visit>(const ObjectView&)>& visit) const {
  return Guarded([&]() -> Status {
    const ArchiveFile& archive = *state_->archive;
    ZPACK_TRY(archive.LoadIndex());
    const BulkChoice choice = {.wants = options.wants,
                               .max_content = options.max_content};
    const BulkThreads threads = {
        options.threads, archive.options().cache_size / 4, options.stop};
    // Both kinds of visits, so that one way out of the call serves both.
    const auto pass = [&](const BulkEntry& entry) -> Result<Visit> {
      if (entry.error == nullptr) {
        return visit({entry.id, entry.info, entry.content});
      }
      if (!options.on_error) return std::unexpected(*entry.error);
      return options.on_error(entry.id, *entry.error);
    };
    return ReadObjects(archive.blocks(), choice, threads, pass);
  });
}

Status ArchiveReader::ReadAhead(std::span<const ObjectId> ids) const {
  return Guarded([&]() -> Status {
    const FileBlocks& blocks = state_->archive->blocks();
    ZPACK_TRY(blocks.LoadIndex());
    std::vector<ObjectNumber> numbers;
    numbers.reserve(ids.size());
    for (const ObjectId& id : ids) {
      if (const auto rank = blocks.ids().Find(id)) {
        numbers.push_back(blocks.number(*rank));
      }
    }
    return state_->objects.ReadAhead(std::move(numbers));
  });
}

Status ArchiveReader::Walk(
    const WalkOptions& options,
    const std::function<Result<Visit>(const WalkedObject&)>& visit) const {
  return Guarded([&]() -> Status {
    ZPACK_TRY(state_->archive->LoadIndex());
    return WalkRevisions(*state_->archive, options, visit);
  });
}

Status ArchiveReader::SearchTree(
    const ObjectId& root, const TreeSearchOptions& options,
    const std::function<Result<Visit>(const SearchedFile&)>& visit) const {
  return Guarded([&]() -> Status {
    ZPACK_TRY(state_->archive->LoadIndex());
    // A blob is searched itself; all else must lead to a tree.
    ZPACK_ASSIGN_OR_RETURN(ObjectId searched,
                           state_->revisions.Peel(root, std::nullopt));
    const auto info = state_->names.ReadInfo(searched);
    if (!info || info->type != ObjectType::kBlob) {
      ZPACK_ASSIGN_OR_RETURN(
          searched, state_->revisions.Peel(searched, ObjectType::kTree));
    }
    return search::SearchTree(*state_->archive, state_->objects, searched,
                              options, visit);
  });
}

Status ArchiveReader::SearchHistory(
    const HistorySearchOptions& options,
    const std::function<Result<Visit>(const HistoryMatch&)>& visit) const {
  return Guarded([&]() -> Status {
    ZPACK_TRY(state_->archive->LoadIndex());
    return search::SearchHistory(*state_->archive, options, visit);
  });
}

Status ArchiveReader::SearchVersions(
    const HistorySearchOptions& options,
    const std::function<Result<Visit>(const MatchingBlob&)>& visit) const {
  return Guarded([&]() -> Status {
    ZPACK_TRY(state_->archive->LoadIndex());
    return search::SearchVersions(*state_->archive, options, visit);
  });
}

Status ArchiveReader::Log(
    const LogOptions& options,
    const std::function<Result<Visit>(const LoggedCommit&)>& visit) const {
  return Guarded([&]() -> Status {
    ZPACK_TRY(state_->archive->LoadIndex());
    return log::ListCommits(*state_->archive, state_->objects, options,
                            VisitChangedLines, visit);
  });
}

Result<std::vector<RepositoryFile>> ArchiveReader::Files() const {
  return Guarded([&]() -> Result<std::vector<RepositoryFile>> {
    ZPACK_ASSIGN_OR_RETURN(RepositoryFiles table,
                           ReadFileTable(*state_->archive));
    return std::move(table.files);
  });
}

Status ArchiveReader::StreamFile(
    std::string_view name,
    const std::function<Result<Visit>(std::span<const uint8_t>)>& piece) const {
  return Guarded([&]() -> Status {
    const ArchiveFile& archive = *state_->archive;
    ZPACK_ASSIGN_OR_RETURN(const RepositoryFiles table, ReadFileTable(archive));
    const auto at = std::ranges::find(table.files, name, &RepositoryFile::name);
    if (at == table.files.end()) {
      return MakeError(ErrorCode::kNotFound, "no file '{}' in '{}'", name,
                       AtPath{archive.path()});
    }
    const auto index = static_cast<size_t>(at - table.files.begin());
    RepositoryFileReader reader(table);
    ZPACK_TRY(reader.Read(index, [](ByteView) { return Status{}; }));
    return reader.Read(index, piece);
  });
}

Result<FileDescription> ArchiveReader::Describe(std::stop_token stop) const {
  return Guarded([&] { return DescribeFile(*state_->archive, stop); });
}

Result<DependentFiles> ListDependents(const std::string& path,
                                      const std::string& directory,
                                      const ReadOptions& options) {
  return Guarded([&] {
    return FindDependents([&] { return OpenForReading(path, options); },
                          directory, options);
  });
}

Status CheckReplaceable(const std::string& path) {
  return Guarded([&] { return CheckNoneDepend(path); });
}

Result<std::vector<std::string>> ListChain(const std::string& path,
                                           const ReadOptions& options) {
  return Guarded([&]() -> Result<std::vector<std::string>> {
    ZPACK_ASSIGN_OR_RETURN(auto file, OpenForReading(path, options));
    ZPACK_ASSIGN_OR_RETURN(auto single,
                           SingleFile::Open(std::move(file), options));
    ZPACK_ASSIGN_OR_RETURN(const OpenFiles chain,
                           OpenChain(std::move(single), options));
    std::vector<std::string> paths;
    for (const auto& one : chain) paths.push_back(one->path());
    return paths;
  });
}

Result<RefsSnapshot> ReadRefs(const std::string& path,
                              const ReadOptions& options) {
  return Guarded([&]() -> Result<RefsSnapshot> {
    ZPACK_ASSIGN_OR_RETURN(auto file, OpenForReading(path, options));
    ZPACK_ASSIGN_OR_RETURN(FileStructure structure,
                           ReadRefsOnly(*file, options));
    if (!structure.backed) return std::move(structure.refs);
    ZPACK_ASSIGN_OR_RETURN(const auto archive, ArchiveFile::OpenWithoutIndex(
                                                   std::move(file), options));
    return archive->refs();
  });
}

}  // namespace zpack
