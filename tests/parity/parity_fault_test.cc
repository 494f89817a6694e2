// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Every call to the file system fails once while a file is protected or
// repaired. Afterwards the old file is there, or the whole new one, and no
// other file.

#include <functional>
#include <string>

#include "parity/parity_fixture.h"
#include "support/fault_file.h"

namespace zpack::testing {
namespace {

using Fault = FaultFileSystem::Fault;

class ParityFaults : public ::testing::TestWithParam<ParityPlace> {
 protected:
  // Calls `operation` on a file with `before` in it until no call fails, and
  // expects `before` and an error, or `after`.
  void Sweep(const ParityFixture& fixture, const std::string& before,
             const std::string& after,
             const std::function<Status(FileSystem&)>& operation) {
    FaultFileSystem sound(-1, Fault::kError);
    WriteFile(fixture.file(), before);
    ASSERT_THAT(operation(sound), IsOk());
    ASSERT_TRUE(ReadFile(fixture.file()) == after);
    ASSERT_GT(sound.calls(), 5);
    for (int at = 0; at < 2 * sound.calls(); ++at) {
      WriteFile(fixture.file(), before);
      FaultFileSystem system(at / 2,
                             at % 2 == 0 ? Fault::kError : Fault::kShortWrite);
      const Status status = operation(system);
      SCOPED_TRACE(::testing::Message()
                   << "call " << at / 2 << ", " << system.failed());
      ASSERT_FALSE(status);
      const bool done = status.error().code == ErrorCode::kNotDurable;
      EXPECT_TRUE(ReadFile(fixture.file()) == (done ? after : before));
      fixture.ExpectNothingWritten();
    }
  }

  template <typename T>
  static Status ToStatus(const Result<T>& result) {
    if (result) return {};
    return std::unexpected(result.error());
  }
};

TEST_P(ParityFaults, OfRepairLeaveTheFile) {
  const ParityFixture fixture(FileSize::kSmall, GetParam());
  std::string damaged = fixture.content();
  damaged[40] = static_cast<char>(damaged[40] ^ 1);
  Sweep(fixture, damaged, fixture.content(), [&](FileSystem& system) {
    RepairOptions options;
    options.run.threads = 1;
    options.in_place = Overwrite::kYes;
    return ToStatus(RepairFile(system, fixture.file(), options));
  });
}

TEST_P(ParityFaults, OfProtectLeaveTheFile) {
  const ParityFixture fixture(FileSize::kSmall, GetParam());
  Sweep(fixture, fixture.content(), fixture.content(), [&](FileSystem& system) {
    ProtectOptions options;
    options.run.threads = 1;
    options.place = GetParam();
    options.overwrite = Overwrite::kYes;
    return ToStatus(ProtectFile(system, fixture.file(), options));
  });
}

INSTANTIATE_TEST_SUITE_P(Places, ParityFaults,
                         ::testing::Values(ParityPlace::kInside,
                                           ParityPlace::kBeside));

}  // namespace
}  // namespace zpack::testing
