// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Stores of objects, compared by tools/bench/stores. Prints one line of JSON.
//
//   stores_benchmark spool REPO SPOOL         deflates all objects of the pack,
//                                             as loose objects are, into a file
//   stores_benchmark store NAME DIRECTORY REPO SPOOL IDS
//                                             fills an empty directory, reads
//                                             all objects, and those of IDS
//   stores_benchmark pack REPO IDS            reads the same from the pack
//   stores_benchmark files DIRECTORY CODEC    compresses and restores each file
//
// NAME is loose, lmdb, berkeley-db, sqlite or rocksdb. RocksDB gets contents as
// they are and compresses them with zstd; the others get the values of SPOOL.
// Digests are sums of checksums of the contents that were read.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "bench/codecs/bench_run.h"
#include "bench/codecs/block_codec.h"
#include "bench/codecs/object_store.h"

namespace zpack::bench {
namespace {

// core.looseCompression.
constexpr CodecSpec kLooseCodec{CodecKind::kZlib, 1};

// A value is the size of the content, and its zlib stream.
Status Expand(BlockDecompressor& decompressor, ByteView value, Bytes& content) {
  if (value.size() < 4) {
    return MakeError(ErrorCode::kCorrupt, "a value of the store is too short");
  }
  content.resize(LoadBigEndian<uint32_t>(value.data()));
  return decompressor.Decompress(value.subspan(4), content);
}

// Calls `visit` with each object of the only pack of a repository.
Status ForEachObject(
    const std::string& repository,
    const std::function<Status(PackRank, const ObjectId&, ByteView)>& visit) {
  ZPACK_ASSIGN_OR_RETURN(const auto pack, OpenOnlyPack(repository));
  Bytes content;
  for (const PackRank rank : pack->DeltaOrder()) {
    ZPACK_TRY(pack->Read(rank, content));
    ZPACK_TRY(visit(rank, pack->ids()[rank], content));
  }
  return {};
}

Result<nlohmann::json> Spool(const Arguments& arguments) {
  ZPACK_ASSIGN_OR_RETURN(const auto file,
                         PosixFileSystem().Create(arguments[1]));
  BlockCompressor compressor(kLooseCodec);
  ReadTally tally;
  double cpu = 0;
  Bytes row;
  Bytes stream;
  const auto add = [&](PackRank, const ObjectId& id,
                       ByteView content) -> Status {
    tally.Add(content);
    row.clear();
    stream.clear();
    const StopWatch watch;
    ZPACK_TRY(compressor.Compress(content, stream));
    cpu += watch.ThreadCpu();
    ByteWriter writer(row);
    writer.Raw(id.bytes());
    writer.U32(static_cast<uint32_t>(stream.size() + 4));
    writer.U32(static_cast<uint32_t>(content.size()));
    writer.Raw(stream);
    return file->Append(row);
  };
  ZPACK_TRY(ForEachObject(arguments[0], add));
  nlohmann::json result = tally.Json();
  result["cpu"] = cpu;
  result["spool_bytes"] = file->size();
  return result;
}

// Calls `visit` with the id and value of each object of a spool file.
Status ForEachValue(
    const std::string& path,
    const std::function<Status(const ObjectId&, ByteView)>& visit) {
  ZPACK_ASSIGN_OR_RETURN(const Bytes spool, ReadWholeFile(path));
  ByteReader in(spool);
  while (in.remaining() > 0) {
    const ByteView id = in.Raw(20);
    const ByteView value = in.Raw(in.U32());
    if (!in.ok()) {
      return MakeError(ErrorCode::kCorrupt, "'{}' is cut off", path);
    }
    ZPACK_TRY(visit(ObjectId(id), value));
  }
  return {};
}

// Bytes of files, and of the disk blocks that they take.
nlohmann::json DiskUse(const std::string& directory) {
  uint64_t bytes = 0;
  uint64_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    bytes += entry.file_size();
    ++files;
  }
  return {{"bytes", bytes}, {"files", files}};
}

// Seconds of work that comes in many pieces. Threads of a library count.
class WorkMeter {
 public:
  template <typename Work>
  Status Run(const Work& work) {
    const StopWatch watch;
    const Status status = work();
    wall_ += watch.Wall();
    own_cpu_ += watch.ThreadCpu();
    return status;
  }
  // REQUIRES: the calling thread did all work that is not measured.
  nlohmann::json Json() const {
    return {{"wall", wall_},
            {"cpu", own_cpu_ + total_.Cpu() - total_.ThreadCpu()}};
  }

 private:
  StopWatch total_;
  double wall_ = 0;
  double own_cpu_ = 0;
};

Result<nlohmann::json> Fill(const ObjectStore& store, bool whole,
                            const Arguments& arguments) {
  WorkMeter meter;
  const auto put = [&](const ObjectId& id, ByteView value) {
    return meter.Run([&] { return store.put(id, value); });
  };
  ZPACK_TRY(
      whole ? ForEachObject(arguments[2],
                            [&](PackRank, const ObjectId& id,
                                ByteView content) { return put(id, content); })
            : ForEachValue(arguments[3], put));
  ZPACK_TRY(meter.Run(store.finish));
  return meter.Json();
}

// Reads values and makes them contents.
class ContentReader {
 public:
  explicit ContentReader(bool whole) : whole_(whole) {}

  Status Take(ByteView value) {
    if (whole_) {
      tally_.Add(value);
      return {};
    }
    ZPACK_TRY(Expand(decompressor_, value, content_));
    tally_.Add(content_);
    return {};
  }
  nlohmann::json Json(const StopWatch& watch) const {
    nlohmann::json result = watch.Json();
    result.update(tally_.Json());
    return result;
  }

 private:
  bool whole_;
  BlockDecompressor decompressor_;
  Bytes content_;
  ReadTally tally_;
};

Result<nlohmann::json> ReadEach(const ObjectStore& store, bool whole) {
  ContentReader reader(whole);
  const StopWatch watch;
  ZPACK_TRY(store.each([&](ByteView value) { return reader.Take(value); }));
  return reader.Json(watch);
}

Result<nlohmann::json> ReadSome(const ObjectStore& store, bool whole,
                                const std::vector<ObjectId>& ids) {
  ContentReader reader(whole);
  Bytes value;
  const StopWatch watch;
  for (const ObjectId& id : ids) {
    ZPACK_TRY(store.get(id, value));
    ZPACK_TRY(reader.Take(value));
  }
  return reader.Json(watch);
}

Result<ObjectStore> MakeStore(const std::string& name,
                              const std::string& directory) {
  if (name == "loose") return MakeLooseStore(directory);
  if (name == "lmdb") return MakeLmdbStore(directory);
  if (name == "berkeley-db") return MakeBerkeleyDbStore(directory);
  if (name == "sqlite") return MakeSqliteStore(directory);
  if (name == "rocksdb") return MakeRocksDbStore(directory);
  return MakeError(ErrorCode::kInvalidArgument, "no such store: '{}'", name);
}

Result<nlohmann::json> MeasureStore(const Arguments& arguments) {
  const bool whole = arguments[0] == "rocksdb";
  ZPACK_ASSIGN_OR_RETURN(const auto ids, ReadIds(arguments[4]));
  ZPACK_ASSIGN_OR_RETURN(const ObjectStore store,
                         MakeStore(arguments[0], arguments[1]));
  nlohmann::json result;
  ZPACK_ASSIGN_OR_RETURN(result["write"], Fill(store, whole, arguments));
  result["disk"] = DiskUse(arguments[1]);
  ZPACK_ASSIGN_OR_RETURN(result["read_all"], ReadEach(store, whole));
  ZPACK_ASSIGN_OR_RETURN(result["read_some"], ReadSome(store, whole, ids));
  return result;
}

Result<nlohmann::json> MeasurePack(const Arguments& arguments) {
  ZPACK_ASSIGN_OR_RETURN(const auto ids, ReadIds(arguments[1]));
  nlohmann::json result;
  ContentReader all(true);
  const StopWatch reading_all;
  ZPACK_TRY(ForEachObject(arguments[0],
                          [&](PackRank, const ObjectId&, ByteView content) {
                            return all.Take(content);
                          }));
  result["read_all"] = all.Json(reading_all);
  ContentReader some(true);
  Bytes content;
  const StopWatch reading_some;
  ZPACK_ASSIGN_OR_RETURN(const auto pack, OpenOnlyPack(arguments[0]));
  for (const ObjectId& id : ids) {
    const auto rank = pack->ids().Find(id);
    if (!rank) {
      return MakeError(ErrorCode::kNotFound, "object {} is not in the pack",
                       id);
    }
    ZPACK_TRY(pack->Read(*rank, content));
    ZPACK_TRY(some.Take(content));
  }
  result["read_some"] = some.Json(reading_some);
  return result;
}

Result<nlohmann::json> MeasureFiles(const Arguments& arguments) {
  ZPACK_ASSIGN_OR_RETURN(const CodecSpec spec, ParseCodec(arguments[1]));
  std::vector<Bytes> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(arguments[0])) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    ZPACK_ASSIGN_OR_RETURN(files.emplace_back(),
                           ReadWholeFile(entry.path().string()));
  }
  std::vector<Bytes> stored(files.size());
  BlockCompressor compressor(spec);
  const StopWatch compressing;
  for (size_t i = 0; i < files.size(); ++i) {
    ZPACK_TRY(compressor.Compress(files[i], stored[i]));
  }
  const double compress_cpu = compressing.Cpu();
  uint64_t raw = 0;
  uint64_t bytes = 0;
  uint64_t disk = 0;
  std::vector<Bytes> restored(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    raw += files[i].size();
    bytes += stored[i].size();
    disk += (stored[i].size() + 4095) / 4096 * 4096;
    restored[i].resize(files[i].size());
  }
  BlockDecompressor decompressor;
  const StopWatch decompressing;
  for (size_t i = 0; i < files.size(); ++i) {
    ZPACK_TRY(decompressor.Decompress(stored[i], restored[i]));
  }
  const double decompress_cpu = decompressing.Cpu();
  if (restored != files) {
    return MakeError(ErrorCode::kMismatch, "a file differs after compression");
  }
  return nlohmann::json{{"files", files.size()},
                        {"raw_bytes", raw},
                        {"bytes", bytes},
                        {"disk_bytes", disk},
                        {"compress_cpu", compress_cpu},
                        {"decompress_cpu", decompress_cpu}};
}

constexpr Command kCommands[] = {{"spool", 2, Spool},
                                 {"store", 5, MeasureStore},
                                 {"pack", 2, MeasurePack},
                                 {"files", 2, MeasureFiles}};
constexpr std::string_view kUsage =
    "usage: stores_benchmark spool REPO SPOOL\n"
    "       stores_benchmark store NAME DIRECTORY REPO SPOOL IDS\n"
    "       stores_benchmark pack REPO IDS\n"
    "       stores_benchmark files DIRECTORY CODEC\n";

}  // namespace
}  // namespace zpack::bench

int main(int argc, char** argv) {
  return zpack::bench::RunCommand(zpack::bench::kCommands, zpack::bench::kUsage,
                                  argc, argv);
}
