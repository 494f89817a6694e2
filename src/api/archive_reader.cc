// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/archive_reader.h"

#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "reader/archive_file.h"
#include "reader/describe_file.h"
#include "reader/name_resolver.h"
#include "reader/object_locator.h"
#include "reader/object_reader.h"
#include "reader/revision_walk.h"

namespace zpack {

struct ArchiveReader::State {
  explicit State(std::unique_ptr<ArchiveFile> file)
      : archive(std::move(file)),
        locator(*archive),
        objects(*archive),
        names(*archive, locator, objects) {}

  std::unique_ptr<ArchiveFile> archive;
  ObjectLocator locator;
  ObjectReader objects;
  NameResolver names;
};

ArchiveReader::ArchiveReader(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
ArchiveReader::~ArchiveReader() = default;

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::Open(
    const std::string& path, const ReadOptions& options) {
  return Guarded([&]() -> Result<std::unique_ptr<ArchiveReader>> {
    ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().OpenForRead(path));
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

Status ArchiveReader::ForEachId(
    IdOrder order, const std::function<Status(const ObjectId&)>& visit) const {
  return Guarded([&]() -> Status {
    const ArchiveFile& archive = *state_->archive;
    ZPACK_TRY(archive.LoadIndex());
    if (order == IdOrder::kStorage) {
      for (const auto number :
           IndexRange<ObjectNumber>(archive.object_count())) {
        ZPACK_TRY(visit(archive.ids()[archive.rank(number)]));
      }
      return {};
    }
    for (const FileRank rank : archive.ids().ranks()) {
      ZPACK_TRY(visit(archive.ids()[rank]));
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
  return Guarded([&] { return state_->names.Resolve(name); });
}

Result<ObjectInfo> ArchiveReader::ReadInfo(const ObjectId& id) const {
  return Guarded([&] { return state_->names.ReadInfo(id); });
}

Result<std::vector<uint8_t>> ArchiveReader::Read(const ObjectId& id) const {
  return Guarded([&]() -> Result<std::vector<uint8_t>> {
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, state_->locator.Find(id));
    Bytes content;
    const Result<ObjectType> type = state_->objects.Read(number, id, content);
    if (!type) return std::unexpected(type.error());
    return std::vector<uint8_t>(content.begin(), content.end());
  });
}

Status ArchiveReader::Stream(
    const ObjectId& id,
    const std::function<Status(std::span<const uint8_t>)>& piece) const {
  return Guarded([&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, state_->locator.Find(id));
    return state_->objects.Stream(
        number, id, [](const ObjectInfo&) { return Status{}; }, piece);
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
    state_->objects.ReadAhead(std::move(numbers));
    return {};
  });
}

Status ArchiveReader::Walk(
    const WalkOptions& options,
    const std::function<Status(const WalkedObject&)>& visit) const {
  return Guarded([&]() -> Status {
    ZPACK_TRY(state_->archive->LoadIndex());
    return WalkRevisions(*state_->archive, options, visit);
  });
}

Result<FileDescription> ArchiveReader::Describe() const {
  return Guarded([&] { return DescribeFile(*state_->archive); });
}

Result<RefsSnapshot> ReadRefs(const std::string& path,
                              const ReadOptions& options) {
  return Guarded([&]() -> Result<RefsSnapshot> {
    ZPACK_ASSIGN_OR_RETURN(const auto file,
                           PosixFileSystem().OpenForRead(path));
    return ArchiveFile::ReadRefs(*file, options);
  });
}

}  // namespace zpack
