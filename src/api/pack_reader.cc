// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/pack_reader.h"

#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "reader/describe_file.h"
#include "reader/name_resolver.h"
#include "reader/object_locator.h"
#include "reader/object_reader.h"
#include "reader/pack_file.h"
#include "reader/revision_walk.h"

namespace zpack {

struct PackReader::State {
  explicit State(std::unique_ptr<PackFile> file)
      : pack(std::move(file)),
        locator(*pack),
        objects(*pack),
        names(*pack, locator, objects) {}

  std::unique_ptr<PackFile> pack;
  ObjectLocator locator;
  ObjectReader objects;
  NameResolver names;
};

PackReader::PackReader(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
PackReader::~PackReader() = default;

Result<std::unique_ptr<PackReader>> PackReader::Open(
    const std::string& path, const ReadOptions& options) {
  return Guarded([&]() -> Result<std::unique_ptr<PackReader>> {
    ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().OpenForRead(path));
    ZPACK_ASSIGN_OR_RETURN(
        auto pack, PackFile::OpenWithoutIndex(std::move(file), options));
    return std::unique_ptr<PackReader>(
        new PackReader(std::make_unique<State>(std::move(pack))));
  });
}

ObjectFormat PackReader::object_format() const {
  return state_->pack->header().object_format;
}
const RefsSnapshot& PackReader::refs() const { return state_->pack->refs(); }
uint32_t PackReader::object_count() const {
  return state_->pack->object_count();
}

Status PackReader::ForEachId(
    IdOrder order, const std::function<Status(const ObjectId&)>& visit) const {
  return Guarded([&]() -> Status {
    const PackFile& pack = *state_->pack;
    ZPACK_TRY(pack.LoadIndex());
    for (uint32_t i = 0; i < pack.object_count(); ++i) {
      const uint32_t rank = order == IdOrder::kStorage ? pack.rank(i) : i;
      ZPACK_TRY(visit(pack.ids()[rank]));
    }
    return {};
  });
}

Result<bool> PackReader::Contains(const ObjectId& id) const {
  return Guarded([&]() -> Result<bool> {
    const Status found = state_->locator.Contains(id);
    if (found) return true;
    if (found.error().code == ErrorCode::kNotFound) return false;
    return std::unexpected(found.error());
  });
}

Result<ObjectId> PackReader::Resolve(std::string_view name) const {
  return Guarded([&] { return state_->names.Resolve(name); });
}

Result<ObjectInfo> PackReader::ReadInfo(const ObjectId& id) const {
  return Guarded([&] { return state_->names.ReadInfo(id); });
}

Result<std::vector<uint8_t>> PackReader::Read(const ObjectId& id) const {
  return Guarded([&]() -> Result<std::vector<uint8_t>> {
    ZPACK_ASSIGN_OR_RETURN(const uint32_t number, state_->locator.Find(id));
    Bytes content;
    const Result<ObjectType> type = state_->objects.Read(number, id, content);
    if (!type) return std::unexpected(type.error());
    return std::vector<uint8_t>(content.begin(), content.end());
  });
}

Status PackReader::Stream(
    const ObjectId& id,
    const std::function<Status(std::span<const uint8_t>)>& piece) const {
  return Guarded([&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(const uint32_t number, state_->locator.Find(id));
    return state_->objects.Stream(
        number, id, [](const ObjectInfo&) { return Status{}; }, piece);
  });
}

Status PackReader::ReadAhead(std::span<const ObjectId> ids) const {
  return Guarded([&]() -> Status {
    const FileBlocks& blocks = state_->pack->blocks();
    ZPACK_TRY(blocks.LoadIndex());
    std::vector<uint32_t> numbers;
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

Status PackReader::Walk(
    const WalkOptions& options,
    const std::function<Status(const WalkedObject&)>& visit) const {
  return Guarded([&]() -> Status {
    ZPACK_TRY(state_->pack->LoadIndex());
    return WalkRevisions(*state_->pack, options, visit);
  });
}

Result<FileDescription> PackReader::Describe() const {
  return Guarded([&] { return DescribeFile(*state_->pack); });
}

Result<RefsSnapshot> ReadRefs(const std::string& path,
                              const ReadOptions& options) {
  return Guarded([&]() -> Result<RefsSnapshot> {
    ZPACK_ASSIGN_OR_RETURN(const auto file,
                           PosixFileSystem().OpenForRead(path));
    return PackFile::ReadRefs(*file, options);
  });
}

}  // namespace zpack
