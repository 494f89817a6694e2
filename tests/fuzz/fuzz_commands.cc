// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A .zpack file, as each command uses it that reads one. Which command is
// decided when this is compiled. The file is used as it is, and once more with
// the ids that its objects hash to, if these are others.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "cli.h"
#include "convert/convert_source.h"
#include "fuzz/file_mutator.h"
#include "fuzz/file_parts.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/true_ids.h"
#include "support/memory_source.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"

// libFuzzer's own, where it is linked.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data,
                                                         size_t size,
                                                         size_t max_size);

namespace {

using namespace zpack;
using namespace zpack::testing;

constexpr std::string_view kCommand = ZPACK_FUZZ_COMMAND;

// Output that nobody reads.
class NoOutput final : public std::streambuf {
  int overflow(int c) override { return c == EOF ? 0 : c; }
  std::streamsize xsputn(const char*, std::streamsize size) override {
    return size;
  }
};

// Runs the program's own command line. It must answer, not ask for help or
// crash.
int Run(std::vector<std::string> arguments) {
  std::istringstream in;
  NoOutput nothing;
  std::ostream out(&nothing);
  std::ostringstream err;
  const int code = cli::Run(arguments, {in, out, err, false, {}});
  if (code != cli::kDone && code != cli::kNo && code != cli::kFailed) {
    std::fprintf(stderr, "exit code %d: %s\n", code, err.str().c_str());
    std::abort();
  }
  return code;
}

// Some of the ids in `file`, and HEAD.
std::vector<std::string> SomeNames(const Bytes& file) {
  constexpr size_t kMost = 6;
  std::vector<std::string> names = {"HEAD"};
  const auto parts = TakeApart(file);
  if (!parts || !parts->ids) return names;
  const size_t count = parts->ids->size();
  const size_t step = std::max<size_t>(1, count / kMost);
  for (size_t i = 0; i < count; i += step) {
    names.push_back(ObjectId((*parts->ids)[i].id).ToHex());
  }
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
  if (Run({"protect", "-q", "-f", "--threads=2", "-o", safe, file}) !=
      cli::kDone) {
    return;
  }
  const std::string whole = ReadFile(safe);
  std::string damaged = whole;
  damaged[damaged.size() / 3] ^= 1;
  WriteFile(safe, damaged);
  if (Run({"repair", "-q", "--in-place", "--threads=2", safe}) != cli::kDone ||
      ReadFile(safe) != whole) {
    std::abort();
  }
}

void RunCommand(const Bytes& bytes) {
  static const TempDir directory;
  const std::string file = directory / "a.zpack";
  WriteFile(file, AsText(bytes));
  if (kCommand == "verify") {
    Run({"verify", "--threads=2", "--level=connectivity", file});
  } else if (kCommand == "restore") {
    const std::string repository = directory / "repository";
    Run({"restore", "-q", "--threads=2", "--trust", file, repository});
    std::filesystem::remove_all(repository);
  } else if (kCommand == "salvage") {
    const std::string repository = directory / "repository";
    Run({"salvage", "-q", "--threads=2", "--trust", file, repository});
    std::filesystem::remove_all(repository);
  } else if (kCommand == "rev-list") {
    Run({"rev-list", "--objects", "--all", file});
    Run({"rev-list", "--objects", "-n", "2", file, "HEAD~1..HEAD"});
    Run({"rev-list", "--all", file, "^HEAD^{tree}", "^HEAD~2"});
    Run({"rev-list", file, "HEAD...HEAD~1", "HEAD^@"});
    Run({"rev-list", file, ":/a"});
  } else if (kCommand == "diff") {
    Run({"diff", file, file});
    const std::string seed = directory / "seed.zpack";
    static const Bytes sample = SampleFile();
    WriteFile(seed, AsText(sample));
    Run({"diff", "--json", file, seed});
  } else if (kCommand == "ls-tree") {
    for (const std::string& name : SomeNames(bytes)) {
      Run({"ls-tree", "-r", "-t", "-l", file, name});
    }
    Run({"ls-tree", file, "HEAD~1:src", "main.c"});
  } else if (kCommand == "archive") {
    for (const std::string& name : SomeNames(bytes)) {
      Run({"archive", "--prefix=a/", file, name});
    }
  } else if (kCommand == "cat-file") {
    Run({"cat-file", "--batch-all-objects", "--batch", file});
    for (const std::string& name : SomeNames(bytes)) {
      Run({"cat-file", "-t", file, name});
      Run({"cat-file", "-s", file, name});
      Run({"cat-file", "-p", file, name});
    }
  } else if (kCommand == "show") {
    Run({"show", "--stats", file});
    Run({"show", "--blocks", "--json", file});
  } else if (kCommand == "list-refs") {
    Run({"list-refs", "-d", "--symref", file});
    Run({"list-refs", "--json", file, "refs/heads", "refs/**/v[0-9]*"});
  } else if (kCommand == "list-files") {
    Run({"list-files", file});
    Run({"list-files", "--json", file});
    for (const auto& [name, content] : SampleFiles()) {
      Run({"cat-extra", file, name});
    }
  } else if (kCommand == "convert") {
    ConvertWithBase(file, directory / "b.zpack");
    ResumeFrom(bytes, directory);
  } else if (kCommand == "protect") {
    ProtectAndRepair(file, directory / "safe.zpack");
  } else if (kCommand == "repair") {
    const std::string out = directory / "out.zpack";
    Run({"repair", "-q", "-f", "--threads=2", "-o", out, file});
    // As the parity of another file.
    const std::string other = directory / "other.zpack";
    WriteFile(other, AsText(bytes).substr(bytes.size() / 2));
    Run({"repair", "-q", "-f", "--threads=2", "-o", out, other, file});
  } else {
    std::abort();
  }
}

EditBytes ByteEdits(uint64_t seed) {
  return [seed](Bytes& bytes) {
    if (LLVMFuzzerMutate == nullptr) return FlipBytes(bytes, seed);
    const size_t size = bytes.size();
    bytes.resize(size + size / 8 + 64);
    bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
  };
}

size_t Give(const Bytes& bytes, uint8_t* out, size_t max_size) {
  const size_t size = std::min(bytes.size(), max_size);
  std::copy_n(bytes.begin(), size, out);
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes(data, data + size);
  RunCommand(bytes);
  // Others do not hash, or only what they print.
  if (kCommand == "verify" || kCommand == "restore" || kCommand == "salvage" ||
      kCommand == "convert" || kCommand == "cat-file") {
    if (const auto honest = WithTrueIds(bytes)) RunCommand(*honest);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return Give(MutateFile({data, size}, seed, ByteEdits(seed)), data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2,
                                            uint8_t* out, size_t max_size,
                                            unsigned seed) {
  return Give(CrossFiles({data1, size1}, {data2, size2}, seed, ByteEdits(seed)),
              out, max_size);
}
