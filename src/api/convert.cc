// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/convert.h"

#include <utility>

#include "api/convert_inventory.h"
#include "api/convert_read_back.h"
#include "api/convert_source.h"
#include "api/phase_timer.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "git/repository_source.h"
#include "reader/pack_file.h"
#include "writer/encoding_options.h"
#include "writer/pack_writer.h"

namespace zpack {
namespace {

ConvertStats MakeStats(const WriteStats& written, const RefsSnapshot& refs,
                       uint64_t source_pack_bytes) {
  ConvertStats stats;
  for (size_t i = 0; i < kAllObjectTypes.size(); ++i) {
    const ObjectType type = kAllObjectTypes[i];
    const auto& from = written.types[static_cast<size_t>(type)];
    stats.types[i] = {type, from.count, from.raw_bytes, from.stored_bytes};
  }
  stats.reused = {written.reused.blocks, written.reused.bytes,
                  written.reused.objects, written.reused.renumbered_blocks};
  stats.file_size = written.file_size;
  stats.source_pack_bytes = source_pack_bytes;
  stats.refs = refs.refs.size();
  return stats;
}

}  // namespace

uint64_t ConvertStats::objects() const {
  uint64_t sum = 0;
  for (const PerType& type : types) sum += type.count;
  return sum;
}

uint64_t ConvertStats::raw_bytes() const {
  uint64_t sum = 0;
  for (const PerType& type : types) sum += type.raw_bytes;
  return sum;
}

uint64_t ConvertStats::index_bytes() const {
  uint64_t blocks = 0;
  for (const PerType& type : types) blocks += type.stored_bytes;
  return file_size - blocks;
}

Result<ConvertStats> ConvertSource(const SourceOpener& open_source,
                                   FileSystem& file_system,
                                   const std::string& path,
                                   const ConvertOptions& given) {
  ZPACK_ASSIGN_OR_RETURN(const EncodingOptions encoding,
                         ResolveEncoding(given));
  PhaseTimer timer(given.run.progress);
  ConvertOptions options = given;
  options.run.progress = &timer;

  // Take the destination first: nothing is worse than an hour of work and then
  // no place to put it.
  ZPACK_ASSIGN_OR_RETURN(const auto source, open_source());
  ZPACK_ASSIGN_OR_RETURN(
      AtomicFile output,
      AtomicFile::Create(file_system, path, options.overwrite));

  // Refs before objects: an object that a ref needs was there before the ref.
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, source->ReadRefs());
  ZPACK_ASSIGN_OR_RETURN(const Inventory inventory,
                         TakeInventory(*source, refs, file_system, options));

  // From here on the set of objects is fixed. Written, synced, but under a
  // temporary name.
  ZPACK_ASSIGN_OR_RETURN(
      const WriteStats written,
      BlameSource(WritePack(
          *source,
          {inventory.ids(), inventory.list, refs, inventory.base.get()},
          encoding, options.run, output.file())));

  // Read back from disk, through the same code that any reader uses.
  ZPACK_ASSIGN_OR_RETURN(auto file,
                         file_system.OpenForRead(output.temporary_path()));
  ZPACK_ASSIGN_OR_RETURN(const auto pack,
                         PackFile::Open(std::move(file), ReadOptions{}));
  if (options.read_back == ReadBack::kYes) {
    ZPACK_TRY(ReadBackFile(*source, *pack, written.copied, options.run));
  }

  // The source, opened anew, must still be what was converted.
  ZPACK_ASSIGN_OR_RETURN(const auto now, open_source());
  ZPACK_TRY(CompareWithNow(*now, *pack, inventory.ids(), options.objects));

  // Beyond this point the file is known to be good.
  ZPACK_TRY(CheckStop(options.run.stop));
  ZPACK_TRY(output.Commit());
  ConvertStats stats = MakeStats(written, refs, source->PackedBytes());
  stats.base_unused = inventory.base_unused;
  stats.phases = timer.phases();
  return stats;
}

Result<ConvertStats> Convert(const std::string& repository,
                             const std::string& path,
                             const ConvertOptions& options) {
  return ConvertSource([&] { return OpenRepository(repository); },
                       PosixFileSystem(), path, options);
}

}  // namespace zpack
