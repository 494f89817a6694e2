// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A remote file against servers that misbehave in every way known.

#include "http/remote_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/url.h"
#include "support/http_server.h"
#include "support/matchers.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kStart = 1000;

std::string RandomContent(size_t size) {
  std::mt19937 random(20);  // NOLINT(cert-msc51-cpp): always the same
  std::string content(size, '\0');
  for (char& c : content) c = static_cast<char>(random());
  return content;
}

HttpSettings Impatient() {
  HttpSettings settings;
  settings.first_wait = std::chrono::milliseconds(1);
  return settings;
}

class RemoteFileTest : public ::testing::Test {
 protected:
  RemoteFileTest() : content_(RandomContent(300'000)) {
    setenv("no_proxy", "*", 1);
  }

  // Opens the file of a server and fetches all of it.
  Result<std::string> FetchAll(const HttpServer& server) const {
    auto opened =
        RemoteFile::Open(server.Url(), Impatient(), kStart, stop_.get_token());
    if (!opened) return std::unexpected(opened.error());
    if (opened->whole_only) return "whole only";
    std::string all;
    const Status fetched = opened->file->Fetch(
        {0, opened->file->size()}, stop_.get_token(), [&](ByteView bytes) {
          all += AsText(bytes);
          return Status{};
        });
    if (!fetched) return std::unexpected(fetched.error());
    return all;
  }
  // The error of FetchAll, where `later` answers all requests but the first.
  Error ErrorOf(const HttpServer::Handler& later) const {
    const HttpServer server([&](const HttpServerRequest& request) {
      return request.number == 0 ? ReplyWithRange(request, content_)
                                 : later(request);
    });
    const auto all = FetchAll(server);
    return all ? Error{ErrorCode::kInternal, "no error"} : all.error();
  }

  std::string content_;
  std::stop_source stop_;
};

TEST_F(RemoteFileTest, FetchesRanges) {
  const HttpServer server([&](const HttpServerRequest& request) {
    return ReplyWithRange(request, content_);
  });
  EXPECT_EQ(FetchAll(server).value(), content_);
  EXPECT_EQ(server.requests(), 2U);
}

TEST_F(RemoteFileTest, SmallFileIsShorterThanTheFirstRequest) {
  content_.resize(10);
  const HttpServer server([&](const HttpServerRequest& request) {
    return ReplyWithRange(request, content_);
  });
  EXPECT_EQ(FetchAll(server).value(), content_);
}

TEST_F(RemoteFileTest, EmptyFileHasSizeZero) {
  const HttpServer server([](const HttpServerRequest& request) {
    return ReplyWithRange(request, "");
  });
  EXPECT_EQ(FetchAll(server).value(), "");
}

TEST_F(RemoteFileTest, ContinuesAfterEachOfManyDrops) {
  const HttpServer server([&](const HttpServerRequest& request) {
    HttpServerReply reply = ReplyWithRange(request, content_);
    if (request.number > 0) reply.close_after = content_.size() / 200;
    return reply;
  });
  EXPECT_EQ(FetchAll(server).value(), content_);
  EXPECT_EQ(server.requests(), 201U);
  // Nothing was sent twice.
  EXPECT_EQ(server.sent(), kStart + content_.size());
}

TEST_F(RemoteFileTest, FirstRequestIsTriedAgain) {
  const HttpServer server([&](const HttpServerRequest& request) {
    if (request.number == 0) {
      return HttpServerReply{.status = 503, .close_after = 0};
    }
    HttpServerReply reply = ReplyWithRange(request, content_);
    if (request.number == 1) reply.close_after = 5;
    return reply;
  });
  EXPECT_EQ(FetchAll(server).value(), content_);
}

TEST_F(RemoteFileTest, GivesUpWithoutProgress) {
  const Error error = ErrorOf([&](const HttpServerRequest& request) {
    HttpServerReply reply = ReplyWithRange(request, content_);
    reply.close_after = 0;
    return reply;
  });
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_THAT(error.message, HasSubstr("gave up after 6 tries"));
  EXPECT_EQ(error.offset, 0U);
}

TEST_F(RemoteFileTest, GivesUpIfBytesComeOneByOne) {
  const Error error = ErrorOf([&](const HttpServerRequest& request) {
    HttpServerReply reply = ReplyWithRange(request, content_);
    reply.close_after = 1;
    return reply;
  });
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_THAT(error.message, HasSubstr("gave up"));
}

TEST_F(RemoteFileTest, AcceptsShorterPartsThanItAskedFor) {
  const HttpServer server([&](const HttpServerRequest& request) {
    HttpServerRequest less = request;
    less.range->second =
        std::min(request.range->second, request.range->first + 50'000);
    return ReplyWithRange(less, content_);
  });
  EXPECT_EQ(FetchAll(server).value(), content_);
}

TEST_F(RemoteFileTest, ServerWithoutRangesIsRecognised) {
  const HttpServer server([&](const HttpServerRequest&) {
    return HttpServerReply{.body = content_};
  });
  EXPECT_EQ(FetchAll(server).value(), "whole only");
}

TEST_F(RemoteFileTest, FetchesWholeFilesAgainAfterADrop) {
  const HttpServer server([&](const HttpServerRequest& request) {
    HttpServerReply reply{.body = content_};
    if (request.number == 1) reply.close_after = 1000;
    return reply;
  });
  const auto opened =
      RemoteFile::Open(server.Url(), Impatient(), kStart, stop_.get_token());
  ASSERT_TRUE(opened);
  std::string all;
  const Status fetched = opened->file->FetchWhole(
      stop_.get_token(),
      [&] {
        all.clear();
        return Status{};
      },
      [&](ByteView bytes) {
        all += AsText(bytes);
        return Status{};
      });
  EXPECT_TRUE(fetched);
  EXPECT_EQ(all, content_);
}

TEST_F(RemoteFileTest, TriesAgainWhenTheServerIsBusy) {
  for (const int status : {429, 500, 502, 503, 504}) {
    const HttpServer server([&](const HttpServerRequest& request) {
      if (request.number % 2 == 0) return HttpServerReply{.status = status};
      return ReplyWithRange(request, content_);
    });
    EXPECT_EQ(FetchAll(server).value(), content_) << status;
  }
}

TEST_F(RemoteFileTest, LongRetryAfterIsAnError) {
  const Error error = ErrorOf([](const HttpServerRequest&) {
    return HttpServerReply{.status = 503, .headers = {"Retry-After: 7200"}};
  });
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_THAT(error.message, HasSubstr("try again after 7200 seconds"));
}

TEST_F(RemoteFileTest, StopEndsAWait) {
  const HttpServer server([&](const HttpServerRequest&) {
    stop_.request_stop();
    return HttpServerReply{.status = 503, .headers = {"Retry-After: 50"}};
  });
  EXPECT_EQ(FetchAll(server).error().code, ErrorCode::kInterrupted);
}

TEST_F(RemoteFileTest, MissingFileIsNotFound) {
  const HttpServer server(
      [](const HttpServerRequest&) { return HttpServerReply{.status = 404}; });
  EXPECT_EQ(FetchAll(server).error().code, ErrorCode::kNotFound);
}

TEST_F(RemoteFileTest, RefusalsAreNotTriedAgain) {
  for (const int status : {400, 401, 403, 416}) {
    const HttpServer server([&](const HttpServerRequest&) {
      return HttpServerReply{.status = status, .body = "<html>"};
    });
    EXPECT_EQ(FetchAll(server).error().code, ErrorCode::kIo) << status;
    EXPECT_EQ(server.requests(), 1U) << status;
  }
}

TEST_F(RemoteFileTest, ChangedFileIsAnError) {
  // The server checks the condition, or ignores the condition.
  for (const bool checks : {true, false}) {
    const Error error = ErrorOf([&](HttpServerRequest request) {
      if (!checks) request.headers.erase("if-match");
      return ReplyWithRange(request, content_, "\"2\"");
    });
    EXPECT_EQ(error.code, ErrorCode::kIo);
    EXPECT_THAT(error.message, HasSubstr("changed while it was read"));
  }
}

TEST_F(RemoteFileTest, FileOfAnotherSizeIsAnError) {
  const Error error = ErrorOf([&](const HttpServerRequest& request) {
    return ReplyWithRange(request, content_ + "more");
  });
  EXPECT_THAT(error.message, HasSubstr("changed while it was read"));
}

TEST_F(RemoteFileTest, FileThatIsSentAsAWholeLaterIsAnError) {
  const Error error = ErrorOf([&](const HttpServerRequest&) {
    return HttpServerReply{.headers = {"ETag: \"1\""}, .body = content_};
  });
  EXPECT_THAT(error.message, HasSubstr("does not send parts"));
}

TEST_F(RemoteFileTest, LyingContentRangeIsAnError) {
  for (const char* value :
       {"bytes 5-9/300000", "bytes 0-9/*", "bytes 9-0/300000", "0-9/300000",
        "bytes 0-300000/300000", "bytes 0-18446744073709551615/300000",
        "bytes */300000", ""}) {
    const Error error = ErrorOf([&](const HttpServerRequest&) {
      return HttpServerReply{
          .status = 206,
          .headers = {"ETag: \"1\"", fmt::format("Content-Range: {}", value)},
          .body = std::string(10, 'x')};
    });
    EXPECT_EQ(error.code, ErrorCode::kIo) << value;
    EXPECT_THAT(error.message, HasSubstr("the server ")) << value;
  }
}

TEST_F(RemoteFileTest, WrongLengthIsAnError) {
  const Error error = ErrorOf([&](const HttpServerRequest& request) {
    HttpServerReply reply = ReplyWithRange(request, content_);
    reply.body += "more";
    return reply;
  });
  EXPECT_THAT(error.message, HasSubstr("two different sizes"));
}

TEST_F(RemoteFileTest, EncodedPartIsAnError) {
  const Error error = ErrorOf([&](const HttpServerRequest& request) {
    HttpServerReply reply = ReplyWithRange(request, content_);
    reply.headers.emplace_back("Content-Encoding: gzip");
    return reply;
  });
  EXPECT_THAT(error.message, HasSubstr("encodes"));
}

TEST_F(RemoteFileTest, FollowsARedirect) {
  const HttpServer server([&](const HttpServerRequest& request) {
    if (request.path != "/x.zpack") return ReplyWithRange(request, content_);
    return HttpServerReply{.status = 302, .headers = {"Location: /other"}};
  });
  EXPECT_EQ(FetchAll(server).value(), content_);
}

TEST_F(RemoteFileTest, RedirectsAreBounded) {
  const HttpServer server([](const HttpServerRequest&) {
    return HttpServerReply{.status = 302, .headers = {"Location: /x.zpack"}};
  });
  EXPECT_EQ(FetchAll(server).error().code, ErrorCode::kIo);
  EXPECT_EQ(server.requests(), 6U);
}

TEST_F(RemoteFileTest, RedirectToAFileIsRefused) {
  const HttpServer server([](const HttpServerRequest&) {
    return HttpServerReply{.status = 302,
                           .headers = {"Location: file:///etc/passwd"}};
  });
  EXPECT_EQ(FetchAll(server).error().code, ErrorCode::kIo);
}

TEST_F(RemoteFileTest, UnreachableServerIsAnErrorAtOnce) {
  std::string url;
  {
    const HttpServer server(
        [](const HttpServerRequest&) { return HttpServerReply{}; });
    url = server.Url();
  }
  const auto opened = RemoteFile::Open(url, Impatient(), kStart, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kIo);
  EXPECT_EQ(opened.error().path, url);
}

TEST(UrlTest, OnlyTheSchemeMakesAUrl) {
  EXPECT_TRUE(IsUrl("http://x"));
  EXPECT_TRUE(IsUrl("HTTPS://x"));
  EXPECT_FALSE(IsUrl("http:/x"));
  EXPECT_FALSE(IsUrl("./http://x"));
  EXPECT_FALSE(IsUrl("ftp://x"));
  EXPECT_TRUE(IsHttps("https://x"));
  EXPECT_FALSE(IsHttps("http://x"));
}

}  // namespace
}  // namespace zpack::testing
