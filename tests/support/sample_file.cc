// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/sample_file.h"

#include <memory>

#include "base/file.h"
#include "convert/convert_source.h"
#include "reader/archive_file.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"

namespace zpack::testing {

namespace {

Bytes Converted(MemorySource& source, std::optional<uint64_t> block_size,
                KeepGoing keep_going, Profile profile = Profile::kBalanced,
                const Bytes* base = nullptr) {
  const TempDir directory;
  const std::string path = directory / "a.zpack";
  ConvertOptions options;
  options.run.threads = 1;
  options.block_size = block_size;
  options.profile = profile;
  options.promised = AllowPromised::kYes;
  options.keep_going = keep_going;
  if (base != nullptr) {
    options.base = directory / "base.zpack";
    WriteFile(*options.base, AsText(*base));
  }
  const auto stats = ConvertSource([&](SourceUse) { return source.Open(); },
                                   PosixFileSystem(), path, options);
  Require(stats.has_value(), "convert");
  return *ReadWholeFile(PosixFileSystem(), path, 1 << 24);
}

}  // namespace

Bytes FileOf(MemorySource& source, std::optional<uint64_t> block_size,
             Profile profile) {
  return Converted(source, block_size, KeepGoing::kNo, profile);
}

Bytes FileWithLosses(std::optional<uint64_t> block_size) {
  MemorySource source = SampleHistory(4);
  const auto all = source.objects();
  size_t blobs = 0;
  for (const auto& [id, object] : all) {
    if (object.type == ObjectType::kBlob && ++blobs % 3 == 0) source.Remove(id);
  }
  return Converted(source, block_size, KeepGoing::kYes);
}

Bytes SampleFile() {
  MemorySource source = SampleHistory(4);
  return FileOf(source);
}

Bytes UpdatedFile(Profile profile) {
  Bytes file;
  for (const int commits : {3, 5, 7}) {
    MemorySource source = WideHistory(commits);
    file = Converted(source, {}, KeepGoing::kNo, profile,
                     file.empty() ? nullptr : &file);
  }
  return file;
}

std::vector<Bytes> SampleChain() {
  MemorySource first = WideHistory(3);
  std::vector<Bytes> files = {FileOf(first)};
  const TempDir directory;
  ConvertOptions options;
  options.run.threads = 1;
  options.onto = directory / "below.zpack";
  WriteFile(*options.onto, AsText(files.front()));
  MemorySource second = WideHistory(5);
  const std::string path = directory / "a.zpack";
  Require(ConvertSource([&](SourceUse) { return second.Open(); },
                        PosixFileSystem(), path, options)
              .has_value(),
          "convert");
  files.push_back(*ReadWholeFile(PosixFileSystem(), path, 1 << 24));
  return files;
}

Bytes SegmentedFile() {
  MemorySource source = SampleHistory(3);
  for (const std::string& version : SampleVersions()) source.AddBlob(version);
  source.Add(ObjectType::kTag, std::string(40000, 'y'));
  return FileOf(source, 4096);
}

std::vector<std::string> Damages(const Bytes& bytes, VerifyLevel level) {
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
  if (!archive) return {archive.error().message};
  RunOptions run;
  run.threads = 1;
  VerifyReport report;
  const Status status = VerifyArchive(**archive, {.level = level}, run, report);
  std::vector<std::string> messages;
  if (!status) messages.push_back(status.error().message);
  for (const Error& damage : report.damages) {
    messages.push_back(damage.message);
  }
  return messages;
}

std::string FirstDamage(const Bytes& bytes, VerifyLevel level) {
  const std::vector<std::string> damages = Damages(bytes, level);
  return damages.empty() ? "" : damages.front();
}

}  // namespace zpack::testing
