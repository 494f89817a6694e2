// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A .zpack file, as each command uses it that reads one. ZPACK_FUZZ_COMMAND
// names the command, or the name of the program, fuzz_command_NAME. Without
// either, or with another name, the program prints the names of all, one a
// line, and exits with 129. The file is used as it is, and once more with the
// ids that its objects hash to, if these are others.

#include <errno.h>  // for program_invocation_short_name

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli.h"
#include "convert/convert_source.h"
#include "fuzz/chain_input.h"
#include "fuzz/file_parts.h"
#include "fuzz/file_users.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/run_command.h"
#include "fuzz/true_ids.h"
#include "support/memory_source.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"

namespace {

using namespace zpack;
using namespace zpack::testing;

std::vector<std::string> SomeIds(const Bytes& file) {
  constexpr size_t kMost = 6;
  std::vector<std::string> ids;
  const auto parts = TakeApart(file);
  if (!parts || !parts->ids) return ids;
  const size_t count = parts->ids->size();
  const size_t step = std::max<size_t>(1, count / kMost);
  for (size_t i = 0; i < count; i += step) {
    ids.push_back(ObjectId((*parts->ids)[i].id).ToHex());
  }
  return ids;
}

// Some of the ids in `file`, and HEAD.
std::vector<std::string> SomeNames(const Bytes& file) {
  std::vector<std::string> names = SomeIds(file);
  names.emplace_back("HEAD");
  return names;
}

// A newer version of the repository that the seeds were made of.
MemorySource& Source() {
  static MemorySource source = [] {
    MemorySource history = SampleHistory(4);
    for (const std::string& version : SampleVersions()) {
      history.AddBlob(version);
    }
    return history;
  }();
  return source;
}

void ConvertWithBase(const std::string& base, const std::string& path) {
  ConvertOptions options;
  options.run.threads = 2;
  options.base = base;
  options.overwrite = Overwrite::kYes;
  (void)ConvertSource([](SourceUse) { return Source().Open(); },
                      PosixFileSystem(), path, options);
}

// Continues a conversion that left `bytes`. The result must be that of a
// conversion that was never interrupted.
void ResumeFrom(const Bytes& bytes, const TempDir& directory) {
  const auto convert = [&](const std::string& path, Resume resume) {
    ConvertOptions options;
    options.run.threads = 2;
    options.resume = resume;
    options.overwrite = Overwrite::kYes;
    return ConvertSource([](SourceUse) { return Source().Open(); },
                         PosixFileSystem(), path, options);
  };
  static const std::string expected = [&] {
    if (!convert(directory / "whole.zpack", Resume::kNo)) std::abort();
    return ReadFile(directory / "whole.zpack");
  }();
  WriteFile(directory / ".resumed.zpack.zpack-tmp", AsText(bytes));
  const std::string path = directory / "resumed.zpack";
  if (!convert(path, Resume::kYes) || ReadFile(path) != expected) std::abort();
}

// A file that can be protected can be repaired.
void ProtectAndRepair(const std::string& file, const std::string& safe) {
  if (RunCommand({"protect", "-q", "-f", "--threads=2", "-o", safe, file}) !=
      cli::kDone) {
    return;
  }
  const std::string whole = ReadFile(safe);
  std::string damaged = whole;
  damaged[damaged.size() / 3] ^= 1;
  WriteFile(safe, damaged);
  if (RunCommand({"repair", "-q", "--in-place", "--threads=2", safe}) !=
          cli::kDone ||
      ReadFile(safe) != whole) {
    std::abort();
  }
}

struct Input {
  const Bytes& bytes;
  std::string file;          // has these bytes
  const TempDir& directory;  // where a command may write
};

void Verify(const Input& input) {
  RunCommand({"verify", "--threads=2", "--level=connectivity", input.file});
}

// A file is as its own statement says.
void Attest(const Input& input) {
  const std::string statement = input.directory / "statement.json";
  if (RunCommand({"attest", "-q", "--threads=2", "--level=checksums", "-o",
                  statement, input.file}) != cli::kDone) {
    return;
  }
  if (RunCommand({"verify", "-q", "--threads=2", "--level=checksums",
                  "--attestation", statement, input.file}) != cli::kDone) {
    std::abort();
  }
}

// `command` is 'restore' or 'salvage'.
void WriteRepository(const char* command, const Input& input) {
  const std::string repository = input.directory / "repository";
  RunCommand({command, "-q", "--threads=2", "--trust", input.file, repository});
  std::filesystem::remove_all(repository);
}

void Restore(const Input& input) { WriteRepository("restore", input); }

void Salvage(const Input& input) { WriteRepository("salvage", input); }

void RevList(const Input& input) {
  RunCommand({"rev-list", "--objects", "--all", input.file});
  RunCommand({"rev-list", "--objects", "-n", "2", input.file, "HEAD~1..HEAD"});
  RunCommand({"rev-list", "--all", input.file, "^HEAD^{tree}", "^HEAD~2"});
  RunCommand({"rev-list", input.file, "HEAD...HEAD~1", "HEAD^@"});
  RunCommand({"rev-list", input.file, ":/a"});
}

void Grep(const Input& input) {
  for (const char* const what : {"-n", "-L", "-oi", "-C2"}) {
    RunCommand({"grep", what, "-e", "a", "--threads=2", input.file, "HEAD"});
  }
  RunCommand(
      {"grep", "-E", "(a|e)[^x]*$", input.file, "HEAD", "--", "*.c", ":!a"});
  RunCommand({"grep", "--all-history", "--threads=2", "-e", "a", input.file});
  RunCommand(
      {"grep", "--all-history", "-c", "-F", "-e", "a", "-e", "in", input.file});
}

void Log(const Input& input) {
  RunCommand(
      {"log", "--all", "--raw", "--pretty=fuller", "--decorate", input.file});
  RunCommand({"log", "--all", "-Sa", "--name-status", "-z", input.file});
  RunCommand({"log", "--all", "-Ga", "-C", "-C", "--name-only", input.file});
  RunCommand({"log", "--grep=a", "--author=a", "--json", input.file});
  RunCommand({"log", "--format=%w(20)%aN %ar%<(9,trunc)%s%+b%d%N", "--all",
              input.file});
}

void LsTree(const Input& input) {
  for (const std::string& name : SomeNames(input.bytes)) {
    RunCommand({"ls-tree", "-r", "-t", "-l", input.file, name});
  }
  RunCommand({"ls-tree", input.file, "HEAD~1:src", "main.c"});
}

void Archive(const Input& input) {
  for (const std::string& name : SomeNames(input.bytes)) {
    RunCommand({"archive", "--prefix=a/", input.file, name});
  }
}

void CatFile(const Input& input) {
  RunCommand({"cat-file", "--batch-all-objects", "--batch", input.file});
  for (const std::string& name : SomeNames(input.bytes)) {
    RunCommand({"cat-file", "-t", input.file, name});
    RunCommand({"cat-file", "-s", input.file, name});
    RunCommand({"cat-file", "-p", input.file, name});
  }
}

void Show(const Input& input) {
  RunCommand({"show", "--stats", input.file});
  RunCommand({"show", "--blocks", "--json", input.file});
}

void Diff(const Input& input) {
  RunCommand({"diff", input.file, input.file});
  const std::string seed = input.directory / "seed.zpack";
  static const Bytes sample = SampleFile();
  WriteFile(seed, AsText(sample));
  RunCommand({"diff", "--json", input.file, seed});
}

void ListRefs(const Input& input) {
  RunCommand({"list-refs", "-d", "--symref", input.file});
  RunCommand(
      {"list-refs", "--json", input.file, "refs/heads", "refs/**/v[0-9]*"});
}

void ListFiles(const Input& input) {
  RunCommand({"list-files", input.file});
  RunCommand({"list-files", "--json", input.file});
  for (const auto& [name, content] : SampleFiles()) {
    RunCommand({"cat-extra", input.file, name});
  }
}

void Convert(const Input& input) {
  ConvertWithBase(input.file, input.directory / "b.zpack");
  ResumeFrom(input.bytes, input.directory);
}

// What is joined is intact if nothing was missing.
void Consolidate(const Input& input) {
  const std::string one = input.directory / "one.zpack";
  const std::string next = input.directory / "next.zpack";
  for (const std::string option : {"--from=1", "--from=2", "--profile=fast"}) {
    if (RunCommand({"consolidate", "-q", "-f", "--threads=2", option,
                    input.file, one}) == cli::kDone &&
        option != "--from=2" &&
        RunCommand({"verify", "-q", one}) != cli::kDone) {
      std::abort();
    }
  }
  ConvertOptions options;
  options.run.threads = 2;
  options.onto = input.file;
  options.overwrite = Overwrite::kYes;
  (void)ConvertSource([](SourceUse) { return Source().Open(); },
                      PosixFileSystem(), next, options);
}

void Protect(const Input& input) {
  ProtectAndRepair(input.file, input.directory / "safe.zpack");
}

void Repair(const Input& input) {
  const std::string out = input.directory / "out.zpack";
  RunCommand({"repair", "-q", "-f", "--threads=2", "-o", out, input.file});
  // As the parity of another file, which is damaged; for a seed, of its own.
  static const Bytes damaged = [] {
    Bytes sample = SampleFile();
    sample[sample.size() / 2] ^= 1;
    return sample;
  }();
  const std::string other = input.directory / "other.zpack";
  WriteFile(other, AsText(damaged));
  RunCommand(
      {"repair", "-q", "-f", "--threads=2", "-o", out, other, input.file});
}

void Report(const Input& input) {
  RunCommand({"report", input.file});
  RunCommand({"report", "--json", input.file});
}

void UploadPack(const Input& input) {
  ServeToClients(input.bytes, SomeIds(input.bytes));
}

void Libgit2(const Input& input) { ReadWithLibgit2(input.file); }

struct Command {
  const char* name;
  void (*use)(const Input& input);
  // Others do not hash, or only what they print.
  bool hashes = false;
};

constexpr Command kCommands[] = {
    {"verify", Verify, true},
    {"attest", Attest},
    {"restore", Restore, true},
    {"salvage", Salvage, true},
    {"rev-list", RevList},
    {"grep", Grep},
    {"log", Log},
    {"ls-tree", LsTree},
    {"archive", Archive},
    {"cat-file", CatFile, true},
    {"show", Show},
    {"report", Report},
    {"diff", Diff},
    {"list-refs", ListRefs},
    {"list-files", ListFiles},
    {"convert", Convert, true},
    {"consolidate", Consolidate, true},
    {"protect", Protect},
    {"repair", Repair},
    {"upload-pack", UploadPack, true},
    // No command, but its users name files as well.
    {"libgit2", Libgit2, true},
};

std::string_view ChosenName() {
  constexpr std::string_view kPrefix = "fuzz_command_";
  if (const char* const name = std::getenv("ZPACK_FUZZ_COMMAND")) return name;
  const std::string_view program = program_invocation_short_name;
  return program.starts_with(kPrefix) ? program.substr(kPrefix.size()) : "";
}

const Command& ChosenCommand() {
  const std::string_view name = ChosenName();
  for (const Command& command : kCommands) {
    if (name == command.name) return command;
  }
  for (const Command& command : kCommands) std::puts(command.name);
  std::exit(129);
}

const Command& chosen = ChosenCommand();

void UseFiles(const std::vector<Bytes>& files) {
  static const TempDir directory;
  static const TempDir inputs;
  const Input input{files.back(), WriteChain(files, inputs.path()), directory};
  chosen.use(input);
  for (const auto& entry : std::filesystem::directory_iterator(inputs.path())) {
    std::filesystem::remove(entry.path());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<Bytes> files = SplitChain({data, size});
  UseFiles(files);
  if (chosen.hashes && files.size() == 1) {
    if (const auto honest = WithTrueIds(files.front())) UseFiles({*honest});
  }
  return 0;
}
