// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/repository_input.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "codec/file_inflater.h"
#include "support/memory_file.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

// What names of packs end with is one hash for all.
constexpr std::string_view kPack =
    "objects/pack/pack-5fe0000000000000000000000000000000000001";
constexpr std::string_view kOtherPack =
    "objects/pack/pack-5fe0000000000000000000000000000000000002";

struct Name {
  std::string_view directory;  // and what the name begins with
  std::string_view rest;
};

// Only added to at the end, since inputs have the numbers.
constexpr std::array<Name, 35> kNames = {{
    {"HEAD", ""},
    {"config", ""},
    {"config.worktree", ""},
    {"packed-refs", ""},
    {"refs/heads/", "main"},
    {"refs/heads/", "other"},
    {"refs/tags/", "t"},
    {"refs/remotes/origin/", "HEAD"},
    {"refs/replace/", "0000000000000000000000000000000000000001"},
    {"logs/", "HEAD"},
    {"logs/", "refs/heads/main"},
    {"index", ""},
    {"shallow", ""},
    {"ORIG_HEAD", ""},
    {"FETCH_HEAD", ""},
    {"info/", "grafts"},
    {"info/", "exclude"},
    {"objects/info/", "alternates"},
    {"objects/info/", "commit-graph"},
    {"objects/pack/", "multi-pack-index"},
    {kPack, ".pack"},
    {kPack, ".idx"},
    {kPack, ".rev"},
    {kPack, ".bitmap"},
    {kPack, ".mtimes"},
    {kPack, ".keep"},
    {kPack, ".promisor"},
    {kOtherPack, ".pack"},
    {kOtherPack, ".idx"},
    {"reftable/", "tables.list"},
    {"reftable/", "0x000000000001-0x000000000001-00000001.ref"},
    {"worktrees/w/", "HEAD"},
    {"worktrees/w/", "gitdir"},
    {"worktrees/w/", "commondir"},
    {"description", ""},
}};
constexpr uint8_t kLooseObject = kNames.size();
constexpr size_t kFileHeader = 4;

std::string PathOf(uint8_t name) {
  return std::string(kNames[name].directory) + std::string(kNames[name].rest);
}

bool IsPack(const std::string& path) { return path.ends_with(".pack"); }

bool HasChecksum(std::string_view path) {
  return path == "index" || path.starts_with("objects/info/commit-graph") ||
         (path.starts_with("objects/pack/") && !path.ends_with("keep") &&
          !path.ends_with("promisor"));
}

// Makes the last `width` bytes the checksum of all before.
void SetChecksum(Bytes& content, size_t width) {
  if (content.size() < width) return;
  const std::string_view checked =
      AsText(ByteView(content).first(content.size() - width));
  const std::string checksum =
      HexToRaw(width == 32 ? Sha256(checked) : Sha1(checked));
  std::ranges::copy(checksum, content.end() - static_cast<ptrdiff_t>(width));
}

// Bytes of an id, by what the configuration says.
size_t WidthOf(const std::vector<InputFile>& files) {
  const bool sha256 = std::ranges::any_of(files, [](const InputFile& file) {
    return file.name < kNames.size() && PathOf(file.name) == "config" &&
           AsText(file.content).contains("sha256");
  });
  return sha256 ? 32 : 20;
}

// Makes checksums right: first those of packs, which indexes repeat.
void Repair(std::vector<InputFile>& files, size_t width) {
  std::ranges::stable_partition(files, [](const InputFile& file) {
    return file.name < kNames.size() && IsPack(PathOf(file.name));
  });
  for (InputFile& file : files) {
    if ((file.flags & InputFile::kRepaired) == 0) continue;
    if (file.name >= kNames.size()) continue;
    // The last one of several with one name is written.
    const auto pack =
        std::find_if(files.rbegin(), files.rend(), [&](const InputFile& other) {
          return other.name + 1 == file.name && IsPack(PathOf(other.name));
        });
    if (pack != files.rend() && pack->content.size() >= width &&
        file.content.size() >= 2 * width) {
      std::copy(pack->content.end() - static_cast<ptrdiff_t>(width),
                pack->content.end(),
                file.content.end() - static_cast<ptrdiff_t>(2 * width));
    }
    SetChecksum(file.content, width);
  }
}

// `content` is that of the file of a loose object.
void WriteLoose(const std::string& git_directory, const std::string& hex,
                std::string_view content) {
  WriteFile(
      git_directory + "/objects/" + hex.substr(0, 2) + '/' + hex.substr(2),
      content);
}

// Adds a loose object, of at most 64 KiB.
void AddLoose(const std::string& file, std::vector<InputFile>& files) {
  const std::string deflated = ReadFile(file);
  const MemoryFile stored(Bytes(deflated.begin(), deflated.end()));
  Bytes content(size_t{64} << 10);
  const auto size = FileInflater(stored, 0, stored.size()).Inflate(content);
  Require(size.has_value(), "cannot inflate " + file);
  content.resize(*size);
  files.push_back({kLooseObject, InputFile::kRepaired, std::move(content)});
}

}  // namespace

std::vector<InputFile> SplitRepository(ByteView input) {
  std::vector<InputFile> files;
  ByteReader in(input);
  while (in.remaining() > kFileHeader) {
    InputFile file;
    file.name = in.U8();
    file.flags = in.U8();
    const size_t size = in.U16();
    const ByteView content = in.Raw(std::min(size, in.remaining()));
    file.content.assign(content.begin(), content.end());
    if (file.name <= kLooseObject) files.push_back(std::move(file));
  }
  return files;
}

Bytes JoinRepository(const std::vector<InputFile>& files) {
  Bytes joined;
  ByteWriter out(joined);
  for (const InputFile& file : files) {
    out.U8(file.name);
    out.U8(file.flags);
    const auto size = std::min<size_t>(file.content.size(), UINT16_MAX);
    out.U16(static_cast<uint16_t>(size));
    out.Raw(ByteView(file.content).first(size));
  }
  return joined;
}

std::vector<InputFile> ReadRepository(const std::string& git_directory) {
  std::vector<InputFile> files;
  const auto add = [&](uint8_t name, const std::string& path) {
    const std::string content = ReadFile(path);
    const bool checked = HasChecksum(PathOf(name));
    files.push_back({name, checked ? InputFile::kRepaired : uint8_t{0},
                     Bytes(content.begin(), content.end())});
  };
  const std::string packs = git_directory + "/objects/pack";
  std::vector<std::string> stems;
  for (const std::string& name : ListDirectory(packs)) {
    if (IsPack(name))
      stems.push_back(packs + '/' + name.substr(0, name.size() - 5));
  }
  for (uint8_t name = 0; name < kNames.size(); ++name) {
    std::string path = git_directory + '/' + PathOf(name);
    for (const auto& [stem, number] :
         {std::pair(kPack, size_t{0}), std::pair(kOtherPack, size_t{1})}) {
      if (kNames[name].directory == stem && stems.size() > number) {
        path = stems[number] + std::string(kNames[name].rest);
      }
    }
    if (Exists(path)) add(name, path);
  }
  for (const std::string& directory :
       ListDirectory(git_directory + "/objects")) {
    if (directory.size() != 2) continue;
    const std::string path = git_directory + "/objects/" + directory;
    for (const std::string& name : ListDirectory(path)) {
      AddLoose(path + '/' + name, files);
    }
  }
  return files;
}

void WriteRepository(const std::vector<InputFile>& input,
                     const std::string& git_directory) {
  std::vector<InputFile> files = input;
  const size_t width = WidthOf(files);
  Repair(files, width);
  for (const char* const name : {"/objects/pack", "/refs/heads"}) {
    fs::create_directories(git_directory + name);
  }
  for (const InputFile& file : files) {
    const std::string_view content = AsText(file.content);
    if (file.name < kNames.size()) {
      WriteFile(git_directory + '/' + PathOf(file.name), content);
    } else if ((file.flags & InputFile::kVerbatim) == 0) {
      WriteLoose(git_directory, width == 32 ? Sha256(content) : Sha1(content),
                 ZlibCompress(content));
    } else if (content.size() >= width) {
      WriteLoose(git_directory, RawToHex(content.substr(0, width)),
                 content.substr(width));
    }
  }
}

}  // namespace zpack::testing
