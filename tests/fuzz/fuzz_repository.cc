// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A hostile git directory (repository_input.h): converted and repacked. What
// could be converted is verified against it and restored, and what the file has
// is in the repository still after it was repacked.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/choices.h"
#include "fuzz/engine_edits.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/repository_input.h"
#include "fuzz/run_command.h"
#include "support/temp_dir.h"

namespace {

using namespace zpack;
using namespace zpack::testing;

// As if there were no Git, no user and no settings of the machine.
void LeaveAlone() {
  setenv("PATH", "/dev/null/bin", 1);
  setenv("HOME", "/dev/null/home", 1);
  setenv("XDG_CONFIG_HOME", "/dev/null/home", 1);
  setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
}

void Expect(const std::vector<std::string>& arguments) {
  const int code = RunCommand(arguments);
  if (code == 0) return;
  std::fprintf(stderr, "exit code %d of %s\n", code, arguments.front().c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const TempDir directory;
  static const bool alone = (LeaveAlone(), true);
  (void)alone;
  const std::string repository = directory / "repository.git";
  const std::string file = directory / "file.zpack";
  const std::string restored = directory / "restored.git";
  std::filesystem::remove_all(repository);
  std::filesystem::remove_all(restored);
  WriteRepository(SplitRepository({data, size}), repository);
  const bool converted =
      RunCommand({"convert", "-q", "-f", "--threads=2", repository, file}) == 0;
  if (converted) {
    Expect({"verify", "-q", "--threads=2", "--against", repository, file});
    Expect({"restore", "-q", "--threads=2", file, restored});
  }
  (void)RunCommand(
      {"repack", "-q", "-a", "-d", "-k", "--threads=2", repository});
  if (converted) {
    Expect({"verify", "-q", "--threads=2", "--against", repository, file});
  }
  return 0;
}

// Mostly edits one file, so that the others make sense.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  std::vector<InputFile> files = SplitRepository({data, size});
  Choices choices(seed);
  if (files.empty()) files.emplace_back();
  InputFile& file = choices.Any(files);
  switch (choices.Below(12)) {
    case 0:
      choices.Erase(files);
      break;
    case 1:
      choices.Edit(file.name);
      break;
    case 2:
      choices.Edit(file.flags);
      break;
    case 3:
      choices.Insert(files, choices.Any(files));
      break;
    default:
      EngineEdits(seed)(file.content);
  }
  return Give(JoinRepository(files), data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2,
                                            uint8_t* out, size_t max_size,
                                            unsigned seed) {
  std::vector<InputFile> files = SplitRepository({data1, size1});
  std::vector<InputFile> others = SplitRepository({data2, size2});
  Choices choices(seed);
  for (int i = 0; i < 3 && !others.empty(); ++i) {
    choices.Insert(files, choices.Any(others));
  }
  return Give(JoinRepository(files), out, max_size);
}
