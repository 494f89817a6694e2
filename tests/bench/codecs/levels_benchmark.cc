// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What tools/bench/levels measures in C++. Prints one line of JSON.
//
//   levels_benchmark recompress REPO CODEC FILE  makes an experimental pack of
//                                                the pack of REPO; CODEC "keep"
//                                                keeps the streams of zlib
//   levels_benchmark read FILE IDS WORD          reads objects in this order
//   and
//                                                counts the WORD in them
//   levels_benchmark read-all FILE               reads all objects in the order
//                                                of the file
//   levels_benchmark set-up REPO CODEC COUNT     entries with one context, and
//                                                with a new context for each
//
// FILE is an experimental pack or a .zpack file. One thread reads; no object is
// hashed to its id.

#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bench/codecs/bench_run.h"
#include "bench/codecs/block_codec.h"
#include "bench/codecs/experimental_pack.h"
#include "zpack/archive_reader.h"

namespace zpack::bench {
namespace {

Result<nlohmann::json> Recompress(const Arguments& arguments) {
  ZPACK_ASSIGN_OR_RETURN(const auto pack, OpenOnlyPack(arguments[0]));
  CodecSpec spec;
  const bool keep = arguments[1] == "keep";
  if (!keep) {
    ZPACK_ASSIGN_OR_RETURN(spec, ParseCodec(arguments[1]));
  }
  ZPACK_ASSIGN_OR_RETURN(
      const Recompressed sum,
      WriteExperimentalPack(*pack, keep ? nullptr : &spec, arguments[2]));
  return nlohmann::json{{"bytes", sum.bytes},
                        {"objects", sum.entries},
                        {"raw_bytes", sum.raw_bytes},
                        {"wall", sum.wall},
                        {"cpu", sum.cpu}};
}

// Counts a word in what is read, as git log -S does.
struct WordCounter {
  std::string_view word;
  uint64_t found = 0;
  ReadTally tally = {};

  void Add(ByteView content) {
    tally.Add(content);
    if (word.empty()) return;
    const std::string_view text = AsText(content);
    for (size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + word.size())) {
      ++found;
    }
  }
};

bool IsZpack(const std::string& path) { return path.ends_with(".zpack"); }

ReadOptions WithoutHashes() {
  ReadOptions options;
  options.hash_objects = false;
  return options;
}

Status ReadOneByOne(const std::string& path, const std::vector<ObjectId>& ids,
                    WordCounter& counter) {
  if (IsZpack(path)) {
    ZPACK_ASSIGN_OR_RETURN(const auto archive,
                           ArchiveReader::Open(path, WithoutHashes()));
    for (const ObjectId& id : ids) {
      ZPACK_ASSIGN_OR_RETURN(const Object object, archive->Read(id));
      counter.Add(object.content);
    }
    return {};
  }
  ZPACK_ASSIGN_OR_RETURN(ExperimentalPack pack, ExperimentalPack::Open(path));
  Bytes content;
  for (const ObjectId& id : ids) {
    ZPACK_ASSIGN_OR_RETURN(const uint32_t position, pack.Find(id));
    ZPACK_TRY(pack.Read(position, content));
    counter.Add(content);
  }
  return {};
}

Result<nlohmann::json> ReadIdsOf(const Arguments& arguments) {
  ZPACK_ASSIGN_OR_RETURN(const auto ids, ReadIds(arguments[1]));
  WordCounter counter{.word = arguments[2]};
  const StopWatch watch;
  ZPACK_TRY(ReadOneByOne(arguments[0], ids, counter));
  nlohmann::json result = watch.Json();
  result.update(counter.tally.Json());
  result["found"] = counter.found;
  return result;
}

Status ReadInOrder(const std::string& path, ReadTally& tally) {
  if (IsZpack(path)) {
    ZPACK_ASSIGN_OR_RETURN(const auto archive,
                           ArchiveReader::Open(path, WithoutHashes()));
    const BulkOptions options{.threads = 1};
    return archive->ReadAll(
        options, [&](const ObjectView& object) -> Result<Visit> {
          if (object.content) {
            tally.Add(*object.content);
            return Visit::kContinue;
          }
          Bytes whole;
          ZPACK_TRY(
              archive->Stream(object.id, [&](ByteView piece) -> Result<Visit> {
                Append(whole, piece);
                return Visit::kContinue;
              }));
          tally.Add(whole);
          return Visit::kContinue;
        });
  }
  ZPACK_ASSIGN_OR_RETURN(ExperimentalPack pack, ExperimentalPack::Open(path));
  Bytes content;
  for (uint32_t position = 0; position < pack.size(); ++position) {
    ZPACK_TRY(pack.Read(position, content));
    tally.Add(content);
  }
  return {};
}

Result<nlohmann::json> ReadAllOf(const Arguments& arguments) {
  ReadTally tally;
  const StopWatch watch;
  ZPACK_TRY(ReadInOrder(arguments[0], tally));
  nlohmann::json result = watch.Json();
  result.update(tally.Json());
  return result;
}

// Evenly chosen entries of a pack.
Result<std::vector<Bytes>> ChooseEntries(const PackReader& pack, size_t count) {
  const size_t step = std::max<size_t>(1, pack.ids().size() / count);
  std::vector<Bytes> chosen;
  size_t at = 0;
  ZPACK_TRY(ForEachEntry(pack, [&](PackRank, ByteView raw) -> Status {
    if (at++ % step == 0 && !raw.empty()) {
      chosen.emplace_back(raw.begin(), raw.end());
    }
    return {};
  }));
  return chosen;
}

// Microseconds of CPU time for each entry, with one context or with new ones.
struct EntryCosts {
  double compress = 0;
  double decompress = 0;
};

Result<EntryCosts> MeasureEntries(const std::vector<Bytes>& entries,
                                  CodecSpec spec, bool reuse) {
  BlockCompressor compressor(spec);
  BlockDecompressor decompressor;
  std::vector<Bytes> stored(entries.size());
  const StopWatch compressing;
  for (size_t i = 0; i < entries.size(); ++i) {
    ZPACK_TRY(reuse ? compressor.Compress(entries[i], stored[i])
                    : BlockCompressor(spec).Compress(entries[i], stored[i]));
  }
  const double compress = compressing.ThreadCpu();
  std::vector<Bytes> restored(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    restored[i].resize(entries[i].size());
  }
  const StopWatch decompressing;
  for (size_t i = 0; i < entries.size(); ++i) {
    ZPACK_TRY(reuse ? decompressor.Decompress(stored[i], restored[i])
                    : BlockDecompressor().Decompress(stored[i], restored[i]));
  }
  const double decompress = decompressing.ThreadCpu();
  if (restored != entries) {
    return MakeError(ErrorCode::kMismatch,
                     "an entry differs after decompression");
  }
  const double scale = 1e6 / static_cast<double>(entries.size());
  return EntryCosts{compress * scale, decompress * scale};
}

Result<nlohmann::json> SetUp(const Arguments& arguments) {
  ZPACK_ASSIGN_OR_RETURN(const auto pack, OpenOnlyPack(arguments[0]));
  ZPACK_ASSIGN_OR_RETURN(const CodecSpec spec, ParseCodec(arguments[1]));
  size_t count = 0;
  const std::string& digits = arguments[2];
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (count == 0 || pack->ids().size() == 0) {
    return MakeError(ErrorCode::kInvalidArgument, "no entries are to be read");
  }
  ZPACK_ASSIGN_OR_RETURN(const auto entries, ChooseEntries(*pack, count));
  ZPACK_ASSIGN_OR_RETURN(const EntryCosts reused,
                         MeasureEntries(entries, spec, true));
  ZPACK_ASSIGN_OR_RETURN(const EntryCosts fresh,
                         MeasureEntries(entries, spec, false));
  return nlohmann::json{{"entries", entries.size()},
                        {"compress_us", reused.compress},
                        {"compress_new_us", fresh.compress},
                        {"decompress_us", reused.decompress},
                        {"decompress_new_us", fresh.decompress}};
}

constexpr Command kCommands[] = {{"recompress", 3, Recompress},
                                 {"read", 3, ReadIdsOf},
                                 {"read-all", 1, ReadAllOf},
                                 {"set-up", 3, SetUp}};
constexpr std::string_view kUsage =
    "usage: levels_benchmark recompress REPO CODEC FILE\n"
    "       levels_benchmark read FILE IDS WORD\n"
    "       levels_benchmark read-all FILE\n"
    "       levels_benchmark set-up REPO CODEC COUNT\n";

}  // namespace
}  // namespace zpack::bench

int main(int argc, char** argv) {
  return zpack::bench::RunCommand(zpack::bench::kCommands, zpack::bench::kUsage,
                                  argc, argv);
}
