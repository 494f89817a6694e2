// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/repo_builder.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

// What the repositories of tests need of Git's configuration.
const std::vector<std::string>& GitPrefix() {
  static const std::vector<std::string> prefix = [] {
    std::vector<std::string> words = {"git"};
    for (const char* setting : {
             "init.defaultBranch=main", "protocol.file.allow=always",
             "gc.auto=0", "advice.detachedHead=false", "core.fsync=none",
             "pack.threads=1",  // with more, packs differ from run to run
         }) {
      words.insert(words.end(), {"-c", setting});
    }
    return words;
  }();
  return prefix;
}

std::string ObjectBytes(std::string_view type, std::string_view content) {
  std::string bytes(type);
  bytes += ' ' + std::to_string(content.size());
  bytes += '\0';
  bytes += content;
  return bytes;
}

std::string HashHex(std::string_view bytes, const EVP_MD* algorithm) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
  unsigned size = 0;
  Require(EVP_Digest(bytes.data(), bytes.size(), hash.data(), &size, algorithm,
                     nullptr) == 1,
          "hashing failed");
  return RawToHex({reinterpret_cast<const char*>(hash.data()), size});
}

}  // namespace

ObjectFormat TestFormat() {
  const char* const name = std::getenv("ZPACK_TEST_OBJECT_FORMAT");
  if (name == nullptr || name == ObjectFormatName(ObjectFormat::kSha1)) {
    return ObjectFormat::kSha1;
  }
  Require(name == ObjectFormatName(ObjectFormat::kSha256),
          "ZPACK_TEST_OBJECT_FORMAT is not an object format");
  return ObjectFormat::kSha256;
}

size_t IdDigits() { return 2 * ObjectIdWidth(TestFormat()); }

std::string FakeId(char digit) { return std::string(IdDigits(), digit); }

std::string RandomBytes(uint64_t seed, size_t size) {
  std::string bytes;
  bytes.reserve(size + 8);
  // splitmix64
  while (bytes.size() < size) {
    seed += 0x9e3779b97f4a7c15;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(z >> (8 * i));
  }
  bytes.resize(size);
  return bytes;
}

std::string HashObject(std::string_view type, std::string_view content) {
  return HashHex(ObjectBytes(type, content), TestFormat() == ObjectFormat::kSha1
                                                 ? EVP_sha1()
                                                 : EVP_sha256());
}

std::string Sha256(std::string_view content) {
  return HashHex(content, EVP_sha256());
}

std::string Sha1(std::string_view content) {
  return HashHex(content, EVP_sha1());
}

std::string LfsName(std::string_view content) {
  const std::string id = Sha256(content);
  return "lfs/objects/" + id.substr(0, 2) + '/' + id.substr(2, 2) + '/' + id;
}

std::string HexToRaw(std::string_view hex) {
  std::string raw;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    raw += static_cast<char>(
        std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return raw;
}

std::string RawToHex(std::string_view raw) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string ZlibCompress(std::string_view raw) {
  uLongf size = compressBound(raw.size());
  std::string out(size, '\0');
  Require(compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                    reinterpret_cast<const Bytef*>(raw.data()), raw.size(),
                    1) == Z_OK,
          "zlib failed");
  out.resize(size);
  return out;
}

std::string TreeEntryBytes(std::string_view mode, std::string_view name,
                           std::string_view id_hex) {
  std::string entry(mode);
  entry += ' ';
  entry += name;
  entry += '\0';
  return entry + HexToRaw(id_hex);
}

std::string CommitBytes(const CommitFields& fields) {
  const std::string when = std::to_string(fields.time) + " +0100\n";
  std::string bytes =
      "tree " + (fields.tree.empty() ? kEmptyTree : fields.tree) + '\n';
  for (const std::string& parent : fields.parents) {
    bytes += "parent " + parent + '\n';
  }
  bytes += "author A U Thor <author@example.com> " + when;
  bytes += "committer C O Mitter <committer@example.com> " + when;
  return bytes + fields.extra_headers + '\n' + fields.message;
}

ProcessResult RunGit(const std::vector<std::string>& arguments,
                     const std::string& directory, const std::string& input) {
  std::vector<std::string> command = GitPrefix();
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessOptions options;
  options.directory = directory;
  options.input = input;
  options.environment = HermeticEnvironment();
  options.environment.push_back("GIT_DEFAULT_HASH=" +
                                std::string(ObjectFormatName(TestFormat())));
  return RunProcess(command, options);
}

bool GitIsSince(int minor) {
  static const std::string version = RunGit({"version"}, "/").out;
  int has_major = 0;
  int has_minor = 0;
  Require(std::sscanf(version.c_str(), "git version %d.%d", &has_major,
                      &has_minor) == 2,
          "git has no version");
  return has_major > 2 || (has_major == 2 && has_minor >= minor);
}

RepoBuilder::RepoBuilder(std::string path, Kind kind)
    : path_(std::move(path)),
      git_dir_(kind == Kind::kBare ? path_ : path_ + "/.git") {
  fs::create_directories(path_);
  if (kind == Kind::kBare) {
    Git({"init", "-q", "--bare", "--template="});
  } else {
    Git({"init", "-q", "--template="});
  }
}

RepoBuilder RepoBuilder::Existing(std::string path) {
  RepoBuilder builder;
  builder.path_ = std::move(path);
  builder.git_dir_ = builder.Git({"rev-parse", "--absolute-git-dir"});
  return builder;
}

ProcessResult RepoBuilder::TryGit(const std::vector<std::string>& arguments,
                                  const std::string& input) const {
  return RunGit(arguments, path_, input);
}

std::string RepoBuilder::Git(const std::vector<std::string>& arguments,
                             const std::string& input) const {
  ProcessResult result = TryGit(arguments, input);
  if (!result.ok()) {
    for (const std::string& argument : arguments) std::cerr << argument << ' ';
    std::cerr << "in " << path_ << ": " << result.err;
  }
  Require(result.ok(), "git failed");
  if (result.out.ends_with('\n')) result.out.pop_back();
  return result.out;
}

std::string RepoBuilder::LooseObjectPath(std::string_view id_hex) const {
  return git_dir_ + "/objects/" + std::string(id_hex.substr(0, 2)) + '/' +
         std::string(id_hex.substr(2));
}

std::string RepoBuilder::WriteObject(std::string_view type,
                                     std::string_view content) const {
  const std::string bytes = ObjectBytes(type, content);
  std::string id = HashObject(type, content);
  const std::string file = LooseObjectPath(id);
  if (!Exists(file)) WriteFile(file, ZlibCompress(bytes));
  return id;
}

std::string RepoBuilder::WriteTag(std::string_view target,
                                  std::string_view type, std::string_view name,
                                  std::string_view message) const {
  std::string bytes = "object ";
  bytes.append(target).append("\ntype ").append(type).append("\ntag ");
  bytes.append(name).append(
      "\ntagger C O Mitter <committer@example.com> 1700000000 +0100\n\n");
  return WriteObject("tag", bytes.append(message));
}

std::string RepoBuilder::SimpleCommit(const std::string& content,
                                      const std::vector<std::string>& parents,
                                      uint64_t time) const {
  CommitFields fields;
  fields.tree = WriteTree(TreeEntryBytes("100644", "file", WriteBlob(content)));
  fields.parents = parents;
  fields.time = time;
  return WriteCommit(fields);
}

std::string RepoBuilder::History(int count) const {
  CommitFields fields;
  for (int i = 0; i < count; ++i) {
    std::string inner;
    for (int file = 0; file < 3; ++file) {
      // Every commit changes one file of three.
      const int version = (i - file + 2) / 3;
      std::string text;
      for (int line = 0; line <= version + 20; ++line) {
        text += "line " + std::to_string(line) + " of file " +
                std::to_string(file) + '\n';
      }
      inner += TreeEntryBytes("100644", "file" + std::to_string(file) + ".txt",
                              WriteBlob(text));
    }
    std::string root = TreeEntryBytes("100755", "counter",
                                      WriteBlob(std::to_string(i) + '\n'));
    root += TreeEntryBytes("40000", "dir", WriteTree(inner));
    root += TreeEntryBytes("120000", "link", WriteBlob("counter"));
    fields.tree = WriteTree(root);
    fields.time = 1700000000 + static_cast<uint64_t>(i) * 60;
    fields.message = "commit " + std::to_string(i) + '\n';
    fields.parents = {WriteCommit(fields)};
  }
  SetRef("refs/heads/main", fields.parents.front());
  return fields.parents.front();
}

void RepoBuilder::WriteLooseRef(std::string_view name,
                                std::string_view content) const {
  WriteFile(git_dir_ + '/' + std::string(name), content);
}

void RepoBuilder::SetRef(std::string_view name, std::string_view id_hex) const {
  WriteLooseRef(name, std::string(id_hex) + '\n');
}

void RepoBuilder::PackAll() const {
  const std::string all =
      Git({"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"});
  if (all.empty()) return;
  Git({"pack-objects", "-q", git_dir_ + "/objects/pack/pack"}, all + '\n');
  Git({"prune-packed", "-q"});
}

}  // namespace zpack::testing
