// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that read one remote file at once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stop_token>
#include <string>

#include "base/bytes.h"
#include "support/http_server.h"
#include "support/matchers.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"
#include "zpack/archive_reader.h"
#include "zpack/restore.h"
#include "zpack/verify.h"

namespace zpack::testing {
namespace {

class RemoteArchiveTest : public ::testing::Test {
 protected:
  RemoteArchiveTest() : bytes_(SegmentedFile()) {
    setenv("no_proxy", "*", 1);
    setenv("XDG_CACHE_HOME", (dir_ / "cache").c_str(), 1);
  }

  TempDir dir_;
  Bytes bytes_;
  HttpServer server_{[this](const HttpServerRequest& request) {
    return ReplyWithRange(request, std::string(AsText(bytes_)));
  }};
};

TEST_F(RemoteArchiveTest, IsVerifiedInSeveralThreads) {
  VerifyOptions options;
  options.run.threads = 4;
  const auto report = Verify(server_.Url(), "", options);
  ASSERT_THAT(report, IsOk());
  EXPECT_THAT(report->damages, ::testing::IsEmpty());
}

TEST_F(RemoteArchiveTest, IsRestoredInSeveralThreads) {
  RestoreOptions options;
  options.run.threads = 4;
  EXPECT_THAT(Restore(server_.Url(), dir_ / "r.git", options), IsOk());
}

TEST_F(RemoteArchiveTest, StopEndsTheOpening) {
  std::stop_source stop;
  HttpServer server([&](const HttpServerRequest&) {
    stop.request_stop();
    return HttpServerReply{.status = 503};
  });
  EXPECT_THAT(ArchiveReader::Open(server.Url(), {}, stop.get_token()),
              HasCode(ErrorCode::kInterrupted));
  EXPECT_EQ(server.requests(), 1);
}

}  // namespace
}  // namespace zpack::testing
