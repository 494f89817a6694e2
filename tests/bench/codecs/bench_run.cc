// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/codecs/bench_run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

namespace zpack::bench {
namespace {

// core.deltaBaseCacheLimit.
constexpr uint64_t kBaseCacheSize = uint64_t{96} << 20;

}  // namespace

void ReadTally::Add(ByteView content) {
  ++objects;
  bytes += content.size();
  digest += Checksum(content);
}

nlohmann::json ReadTally::Json() const {
  return {{"objects", objects}, {"bytes", bytes}, {"digest", digest}};
}

Result<std::unique_ptr<PackReader>> OpenOnlyPack(
    const std::string& repository) {
  const std::filesystem::path packs =
      std::filesystem::path(repository) / "objects/pack";
  std::optional<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(packs, error)) {
    if (entry.path().extension() != ".pack") continue;
    if (found) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "'{}' has more than one pack", repository);
    }
    found = entry.path();
  }
  if (!found) {
    return MakeError(ErrorCode::kInvalidArgument, "'{}' has no pack",
                     repository);
  }
  return PackReader::Open(ObjectFormat::kSha1, PosixFileSystem(),
                          found->replace_extension().string(),
                          std::make_shared<BaseCache>(kBaseCacheSize));
}

Result<std::vector<ObjectId>> ReadIds(const std::string& path) {
  std::ifstream in(path);
  if (!in) return MakeError(ErrorCode::kIo, "cannot read '{}'", path);
  std::vector<ObjectId> ids;
  for (std::string line; std::getline(in, line);) {
    const auto id = ObjectId::FromHex(line);
    if (!id) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "line {} of '{}' is not an object id", ids.size() + 1,
                       path);
    }
    ids.push_back(*id);
  }
  return ids;
}

Result<Bytes> ReadWholeFile(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, PosixFileSystem().OpenForRead(path));
  Bytes bytes(file->size());
  ZPACK_TRY(file->Read(0, bytes));
  return bytes;
}

int PrintJson(const std::function<Result<nlohmann::json>()>& run) {
  const Result<nlohmann::json> result = run();
  if (!result) {
    std::cerr << "fatal: " << result.error().message << '\n';
    return 128;
  }
  std::cout << result->dump() << '\n';
  return 0;
}

int RunCommand(std::span<const Command> commands, std::string_view usage,
               int argc, char** argv) {
  const Arguments arguments(argv + std::min(argc, 2), argv + argc);
  const auto command = std::ranges::find_if(commands, [&](const Command& each) {
    return argc > 1 && each.name == argv[1] &&
           each.arguments == arguments.size();
  });
  if (command == commands.end()) {
    std::cerr << usage;
    return 129;
  }
  return PrintJson([&] { return command->run(arguments); });
}

}  // namespace zpack::bench
