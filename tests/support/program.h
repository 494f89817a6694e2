// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the git-zpack under test, and takes repositories through it and back:
// what comes out is compared with what went in by the git binary alone.

#pragma once

#include <string>
#include <vector>

#include "support/subprocess.h"
#include "support/temp_dir.h"

namespace zpack::testing {

// The program under test: $ZPACK_BINARY, or the one this test was built with.
std::string ZpackBinary();

// Runs 'git-zpack <arguments>' in Git's isolated environment.
ProcessResult RunZpack(const std::vector<std::string>& arguments,
                       ProcessOptions options = {});

// Starts it, for tests that interrupt it.
class ZpackProcess : public Process {
 public:
  explicit ZpackProcess(const std::vector<std::string>& arguments);
};

// Everything that has to survive a conversion, as the git binary prints it.
struct RepositoryState {
  std::vector<std::string> objects;  // "<id> <type> <size>", sorted
  std::string refs;                  // "<id> <name> <symbolic target>"
  std::string head;                  // "ref: <name>", or an id
  std::vector<std::string> shallow;  // sorted
  int fsck_exit_code = 0;
  std::vector<std::string> fsck;  // messages, sorted, each once

  friend bool operator==(const RepositoryState&,
                         const RepositoryState&) = default;
};
RepositoryState ReadState(const std::string& repository);

// Whether to compare what fsck says. It depends on the order in which Git comes
// across objects when one is named as several types.
enum class Fsck { kCompare, kSkip };

// Converts `repository` inside `directory`, verifies the file against it at
// the highest level, restores it and expects the same state. Returns the path
// of the restored repository; the file is '<directory>/rt.zpack'. With
// ZPACK_TEST_REF_FORMAT=reftable in the environment, `repository` has reftables
// meanwhile, and is also restored with reftables.
std::string ExpectRoundTrip(const std::string& repository,
                            const TempDir& directory,
                            const std::vector<std::string>& options = {},
                            Fsck fsck = Fsck::kCompare);

// Expects that 'convert' fails with exit code 128, one line on standard error
// that contains every one of `reasons`, and leaves nothing in a directory of
// its own but a temporary that a hint on another line says how to continue.
void ExpectRefused(const std::string& repository, const TempDir& directory,
                   const std::vector<std::string>& reasons,
                   const std::vector<std::string>& options = {});

std::vector<std::string> SplitLines(std::string_view text);

}  // namespace zpack::testing
