// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/protect_file.h"

#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "parity/covered_data.h"
#include "parity/packet_scanner.h"
#include "parity/parity_encoder.h"
#include "parity/parity_packet.h"
#include "protect/check_archive.h"
#include "protect/image_file.h"
#include "protect/protect_inside.h"
#include "reader/dependent_files.h"
#include "reader/single_file.h"
#include "zpack/publish_file.h"

namespace zpack {
namespace {

Status CheckOptions(const ProtectOptions& options) {
  if (options.redundancy == 0 || options.redundancy > kMaxRedundancy) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "redundancy must be above 0 % and at most 100 %");
  }
  if (options.place == ParityPlace::kBeside && !options.output.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "parity beside the file has no other output");
  }
  return {};
}

ProtectStats StatsOf(const ParityShape& shape, const std::string& output) {
  const uint64_t file_bytes =
      shape.embedded() ? CoveredFileSize(shape) : shape.set_size();
  return {.output = output,
          .data_bytes = shape.data_size,
          .parity_bytes = shape.set_size(),
          .file_bytes = file_bytes,
          .data_shards = shape.shards(),
          .parity_shards = shape.parity_shards(),
          .shard_bytes = shape.shard_size,
          .codewords = shape.codewords,
          .repairable_bytes = shape.RepairableRun(shape.parity),
          .phases = {}};
}

// Reads a new set back. kMismatch if the set is not what was written.
Status CheckSet(const RandomAccessFile& file, uint64_t begin,
                const ParityParameters& parameters, const RunOptions& run) {
  ZPACK_ASSIGN_OR_RETURN(const FoundSet set,
                         CollectSet(file, begin, parameters, run.stop));
  if (set.intact) return {};
  return MakeError(ErrorCode::kMismatch,
                   "parity differs after it was written: '{}'",
                   AtPath{file.path()});
}

// A file of parity may be replaced. Any other file needs permission, also if it
// holds parity somewhere.
Overwrite MayReplaceParity(FileSystem& file_system, const std::string& path,
                           const ProtectOptions& options) {
  if (options.overwrite == Overwrite::kYes) return Overwrite::kYes;
  const auto file = file_system.OpenForRead(path);
  if (!file) return Overwrite::kNo;
  Bytes start(sizeof(kPacketMagic));
  if ((*file)->size() < start.size() || !(*file)->Read(0, start) ||
      LoadBigEndian<uint32_t>(start.data()) != kPacketMagic) {
    return Overwrite::kNo;
  }
  const auto parameters =
      FindParameters(**file, (*file)->size(), options.run.stop);
  return parameters && !parameters->empty() ? Overwrite::kYes : Overwrite::kNo;
}

// kCorrupt if the file at `path` is damaged.
Status CheckFile(FileSystem& file_system, const std::string& path,
                 const RunOptions& run) {
  ZPACK_ASSIGN_OR_RETURN(auto file, file_system.OpenForRead(path));
  return CheckArchive(std::move(file), run);
}

Result<ProtectStats> ProtectBeside(FileSystem& file_system,
                                   const std::string& path,
                                   const ProtectOptions& options) {
  const auto before = IdentityOf(path);
  ZPACK_TRY(CheckFile(file_system, path, options.run));
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.OpenForRead(path));
  ZPACK_ASSIGN_OR_RETURN(
      const ParityShape shape,
      MakeParityShape(file->size(), file->size(), options.redundancy));
  const std::string output = ParityPathOf(path);
  ZPACK_ASSIGN_OR_RETURN(
      ImageFile image,
      ImageFile::Create(file_system, output,
                        MayReplaceParity(file_system, output, options)));
  image.LimitMode(path);
  const auto parity_before = IdentityOf(image.path());
  ZPACK_ASSIGN_OR_RETURN(const ParityParameters parameters,
                         EncodeParitySet(*file, shape, options.run,
                                         [&](uint64_t offset, ByteView bytes) {
                                           return image.Put(offset, bytes);
                                         }));
  ZPACK_TRY(image.Sync());
  ZPACK_ASSIGN_OR_RETURN(const auto written, image.Open());
  ZPACK_TRY(CheckSet(*written, 0, parameters, options.run));
  // Parity of a file that is gone protects nothing.
  ZPACK_TRY(CheckSameFile(path, before));
  ZPACK_TRY(image.CommitOver(parity_before));
  return StatsOf(shape, output);
}

Result<ProtectStats> ProtectInside(FileSystem& file_system,
                                   const std::string& path,
                                   const ProtectOptions& options) {
  const bool replace = options.output.empty();
  const std::string& output = replace ? path : options.output;
  if (!replace) ZPACK_TRY(CheckServes(path, output));
  // The file is read under the lock for the output, so that no other writer
  // replaces the file in between.
  ZPACK_ASSIGN_OR_RETURN(
      ImageFile image,
      ImageFile::Create(file_system, output,
                        replace ? Overwrite::kYes : options.overwrite));
  image.LimitMode(path);
  const auto before = IdentityOf(image.path());
  ZPACK_TRY(CheckFile(file_system, path, options.run));
  ZPACK_ASSIGN_OR_RETURN(auto file, file_system.OpenForRead(path));
  ZPACK_ASSIGN_OR_RETURN(const auto single,
                         SingleFile::Open(std::move(file), ReadOptions{}));
  // The file has been undamaged just now.
  if (!single->damages().empty()) {
    return std::unexpected(single->damages().front());
  }
  ZPACK_ASSIGN_OR_RETURN(
      const ParityParameters parameters,
      WriteWithParity(*single, options.redundancy, options.run, image));
  ZPACK_TRY(image.Sync());
  ZPACK_ASSIGN_OR_RETURN(auto written, image.Open());
  const ParityShape& shape = parameters.shape;
  ZPACK_TRY(CheckSet(*written, shape.gap, parameters, options.run));
  ZPACK_TRY(CheckArchive(std::move(written), options.run));
  if (!replace) ZPACK_TRY(CheckServes(path, output));
  ZPACK_TRY(image.CommitOver(before));
  return StatsOf(shape, output);
}

}  // namespace

std::string ParityPathOf(const std::string& path) { return path + ".zpar"; }

Result<ProtectStats> ProtectFile(FileSystem& file_system,
                                 const std::string& path,
                                 const ProtectOptions& options) {
  ZPACK_TRY(CheckOptions(options));
  // A wrong name is an error before anything is created.
  ZPACK_TRY(file_system.OpenForRead(path));
  if (options.place == ParityPlace::kBeside) {
    return ProtectBeside(file_system, path, options);
  }
  return ProtectInside(file_system, path, options);
}

}  // namespace zpack
