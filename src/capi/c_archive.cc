// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/c_archive.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "capi/c_error.h"
#include "zpack.h"
#include "zpack/archive_reader.h"
#include "zpack/version.h"
#include "zpack/walk.h"

namespace zpack::capi {
namespace {

// Calls `stream` with a function that passes its pieces to `callback`.
template <typename StreamPieces>
Result<int> PassPieces(zpack_piece_cb callback, void* payload,
                       const StreamPieces& stream) {
  int returned = 0;
  const Status streamed =
      stream([&](std::span<const uint8_t> piece) -> Result<Visit> {
        returned = callback(piece.data(), piece.size(), payload);
        return Next(returned);
      });
  return Ended(streamed, returned);
}

zpack_type TypeToC(ObjectType type) { return static_cast<zpack_type>(type); }

zpack_ref RefToC(const Ref& ref) {
  return {ref.name.c_str(), ToC(ref.target), ToC(ref.peeled),
          ref.symbolic() ? ref.symref_target.c_str() : nullptr};
}

void SetLimit(uint64_t given, uint64_t& limit) {
  if (given != 0) limit = given;
}

Result<ReadOptions> OptionsOf(const zpack_open_options& options) {
  ReadOptions read;
  ZPACK_ASSIGN_OR_RETURN(read.backing,
                         PathsOf(options.backing, options.backing_count));
  SetLimit(options.max_block_size, read.max_block_size);
  SetLimit(options.max_object_size, read.max_object_size);
  SetLimit(options.max_chunk_size, read.max_chunk_size);
  SetLimit(options.cache_size, read.cache_size);
  read.hash_objects = options.skip_hashes == 0;
  return read;
}

constexpr zpack_open_options kOpen = ZPACK_OPEN_OPTIONS_INIT;
constexpr zpack_foreach_options kForeach = ZPACK_FOREACH_OPTIONS_INIT;
constexpr zpack_walk_options kWalk = ZPACK_WALK_OPTIONS_INIT;

}  // namespace

extern "C" {

const char* zpack_version(void) {
  // A literal, which ends in NUL.
  return LibraryVersion().data();
}

int zpack_open_options_init(zpack_open_options* options, unsigned version) {
  return InitOptions(options, version, kOpen);
}

int zpack_foreach_options_init(zpack_foreach_options* options,
                               unsigned version) {
  return InitOptions(options, version, kForeach);
}

int zpack_walk_options_init(zpack_walk_options* options, unsigned version) {
  return InitOptions(options, version, kWalk);
}

int zpack_open(zpack_archive** out, const char* path,
               const zpack_open_options* options) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(out, path));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kOpen));
    ZPACK_ASSIGN_OR_RETURN(const ReadOptions read, OptionsOf(given));
    ZPACK_ASSIGN_OR_RETURN(auto reader, ArchiveReader::Open(path, read));
    *out = std::make_unique<zpack_archive>(std::move(reader)).release();
    return ZPACK_OK;
  });
}

void zpack_archive_free(zpack_archive* archive) {
  const std::unique_ptr<zpack_archive> owned(archive);
}

size_t zpack_oid_size(const zpack_archive* archive) {
  if (archive == nullptr) return 0;
  return ObjectIdWidth(archive->reader->object_format());
}

uint32_t zpack_object_count(const zpack_archive* archive) {
  return archive == nullptr ? 0 : archive->reader->object_count();
}

void zpack_read_cost(zpack_cost* out, const zpack_archive* archive) {
  if (out == nullptr) return;
  const ReadCost cost =
      archive == nullptr ? ReadCost() : archive->reader->read_cost();
  *out = {cost.blocks, cost.bytes};
}

void zpack_head(zpack_ref* out, const zpack_archive* archive) {
  if (out == nullptr) return;
  if (archive == nullptr) {
    *out = {"HEAD", {}, {}, nullptr};
    return;
  }
  const RefsSnapshot& refs = archive->reader->refs();
  const bool symbolic = !refs.head_symref.empty();
  *out = {"HEAD", ToC(refs.head_target), ToC(ObjectId()),
          symbolic ? refs.head_symref.c_str() : nullptr};
}

int zpack_foreach_ref(const zpack_archive* archive, zpack_ref_cb callback,
                      void* payload) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, callback));
    for (const Ref& ref : archive->reader->refs().refs) {
      const zpack_ref view = RefToC(ref);
      if (const int returned = callback(&view, payload); returned != 0) {
        return returned;
      }
    }
    return ZPACK_OK;
  });
}

int zpack_resolve(zpack_oid* out, const zpack_archive* archive,
                  const char* name) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(out, archive, name));
    ZPACK_ASSIGN_OR_RETURN(const auto id, archive->reader->Resolve(name));
    *out = ToC(id);
    return ZPACK_OK;
  });
}

int zpack_resolve_abbreviation(zpack_oid* out, const zpack_archive* archive,
                               const char* abbreviation) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(out, archive, abbreviation));
    ZPACK_ASSIGN_OR_RETURN(const auto id,
                           archive->reader->ResolveAbbreviation(abbreviation));
    *out = ToC(id);
    return ZPACK_OK;
  });
}

const char* zpack_type_name(int type) {
  if (type < ZPACK_COMMIT || type > ZPACK_TAG) return "";
  // A literal, which ends in NUL.
  return ObjectTypeName(static_cast<ObjectType>(type)).data();
}

int zpack_contains(int* out, const zpack_archive* archive,
                   const zpack_oid* oid) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(out, archive));
    ZPACK_ASSIGN_OR_RETURN(const auto id, IdOf(oid));
    ZPACK_ASSIGN_OR_RETURN(const auto contains, archive->reader->Contains(id));
    *out = contains ? 1 : 0;
    return ZPACK_OK;
  });
}

int zpack_read_header(zpack_type* type, uint64_t* size,
                      const zpack_archive* archive, const zpack_oid* oid) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive));
    ZPACK_ASSIGN_OR_RETURN(const auto id, IdOf(oid));
    ZPACK_ASSIGN_OR_RETURN(const auto info, archive->reader->ReadInfo(id));
    if (type != nullptr) *type = TypeToC(info.type);
    if (size != nullptr) *size = info.size;
    return ZPACK_OK;
  });
}

int zpack_read(zpack_object* out, const zpack_archive* archive,
               const zpack_oid* oid) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(out, archive));
    ZPACK_ASSIGN_OR_RETURN(const auto id, IdOf(oid));
    ZPACK_ASSIGN_OR_RETURN(auto object, archive->reader->Read(id));
    auto content =
        std::make_unique<std::vector<uint8_t>>(std::move(object.content));
    *out = {TypeToC(object.type), content->data(), content->size(), nullptr};
    out->owner = content.release();
    return ZPACK_OK;
  });
}

void zpack_object_dispose(zpack_object* object) {
  if (object == nullptr) return;
  const std::unique_ptr<std::vector<uint8_t>> owned(
      static_cast<std::vector<uint8_t>*>(object->owner));
  *object = {};
}

int zpack_stream(const zpack_archive* archive, const zpack_oid* oid,
                 zpack_piece_cb callback, void* payload) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, callback));
    ZPACK_ASSIGN_OR_RETURN(const auto id, IdOf(oid));
    return PassPieces(callback, payload, [&](const auto& piece) {
      return archive->reader->Stream(id, piece);
    });
  });
}

int zpack_foreach_file(const zpack_archive* archive, zpack_file_cb callback,
                       void* payload) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, callback));
    ZPACK_ASSIGN_OR_RETURN(const auto files, archive->reader->Files());
    for (const RepositoryFile& file : files) {
      const std::string group(FileGroupName(file.group));
      zpack_file view = {group.c_str(),
                         file.name.c_str(),
                         file.executable ? 1 : 0,
                         file.size,
                         {}};
      std::ranges::copy(file.sha256, view.sha256);
      if (const int returned = callback(&view, payload); returned != 0) {
        return returned;
      }
    }
    return ZPACK_OK;
  });
}

int zpack_stream_file(const zpack_archive* archive, const char* name,
                      zpack_piece_cb callback, void* payload) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, name, callback));
    return PassPieces(callback, payload, [&](const auto& piece) {
      return archive->reader->StreamFile(name, piece);
    });
  });
}

int zpack_foreach_oid(const zpack_archive* archive, int order,
                      zpack_oid_cb callback, void* payload) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, callback));
    if (order != ZPACK_ORDER_ID && order != ZPACK_ORDER_STORAGE) {
      return Invalid("no such order");
    }
    int returned = 0;
    const Status visited = archive->reader->ForEachId(
        order == ZPACK_ORDER_STORAGE ? IdOrder::kStorage : IdOrder::kId,
        [&](const ObjectId& id) -> Result<Visit> {
          const zpack_oid oid = ToC(id);
          returned = callback(&oid, payload);
          return Next(returned);
        });
    return Ended(visited, returned);
  });
}

int zpack_foreach_object(const zpack_archive* archive,
                         const zpack_foreach_options* options,
                         zpack_object_cb callback, void* payload) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, callback));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kForeach));
    int returned = 0;
    BulkOptions bulk;
    bulk.threads = given.threads;
    SetLimit(given.max_content, bulk.max_content);
    if (given.pass_errors != 0) {
      bulk.on_error = [&](const ObjectId& id,
                          const Error& error) -> Result<Visit> {
        const ErrorRecord record(error);
        const zpack_object_view view = {ToC(id), ZPACK_BLOB, 0, nullptr,
                                        &record.view()};
        returned = callback(&view, payload);
        return Next(returned);
      };
    }
    const Status visited = archive->reader->ReadAll(
        bulk, [&](const ObjectView& object) -> Result<Visit> {
          const zpack_object_view view = {
              ToC(object.id), TypeToC(object.info.type), object.info.size,
              object.content ? object.content->data() : nullptr, nullptr};
          returned = callback(&view, payload);
          return Next(returned);
        });
    return Ended(visited, returned);
  });
}

int zpack_walk(const zpack_archive* archive, const zpack_walk_options* options,
               zpack_walk_cb callback, void* payload) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, callback));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kWalk));
    WalkOptions walk;
    ZPACK_ASSIGN_OR_RETURN(walk.starts, IdsOf(given.starts, given.start_count));
    if (given.all_refs != 0) walk.refs = WalkRefs::kAll;
    if (given.objects != 0) walk.objects = WalkObjects::kAll;
    int returned = 0;
    const Status walked = archive->reader->Walk(
        walk, [&](const WalkedObject& object) -> Result<Visit> {
          const zpack_walked view = {ToC(object.id), TypeToC(object.type),
                                     object.name.data(), object.name.size()};
          returned = callback(&view, payload);
          return Next(returned);
        });
    return Ended(walked, returned);
  });
}

}  // extern "C"

}  // namespace zpack::capi
