// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading through the pages in memory and on disk.

#include "http/http_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "support/http_server.h"
#include "support/matchers.h"
#include "support/someone.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

constexpr size_t kPages = 100;

class HttpFileTest : public ::testing::Test {
 protected:
  HttpFileTest() {
    setenv("no_proxy", "*", 1);
    std::mt19937 random(20);  // NOLINT(cert-msc51-cpp): always the same
    content_.resize(kPages * kPageSize - 1234);
    for (char& c : content_) c = static_cast<char>(random());
  }

  HttpServer::Handler Honest() {
    return [this](const HttpServerRequest& request) {
      return ReplyWithRange(request, content_, etag_);
    };
  }
  std::unique_ptr<HttpFile> Open(const HttpServer& server,
                                 uint64_t max_disk = 0,
                                 std::stop_token stop = {},
                                 DiskPages pages = DiskPages::kAll) const {
    auto opened = RemoteFile::Open(server.Url(), HttpSettings{},
                                   HttpFile::kStartSize, stop);
    Require(opened.has_value() && !opened->whole_only, "cannot open");
    auto disk = DiskCache::Open({dir_ / "cache", max_disk},
                                opened->file->Version(), kPageSize);
    return std::make_unique<HttpFile>(
        PageLoader(std::move(opened->file), std::move(disk), pages),
        std::move(opened->start), NeighbourOpener(), stop);
  }
  // Expects that these bytes can be read and are right.
  void ExpectBytes(const HttpFile& file, uint64_t offset, size_t size) const {
    Bytes bytes(size);
    ASSERT_THAT(file.Read(offset, bytes), IsOk());
    EXPECT_EQ(AsText(bytes), std::string_view(content_).substr(offset, size));
  }
  void ExpectAll(const HttpFile& file, size_t step) const {
    for (size_t at = 0; at < content_.size(); at += step) {
      ExpectBytes(file, at, std::min(step, content_.size() - at));
    }
  }

  TempDir dir_;
  std::string content_;
  std::string etag_ = "\"1\"";
};

TEST_F(HttpFileTest, ReadsAcrossPages) {
  const HttpServer server(Honest());
  const auto file = Open(server);
  EXPECT_EQ(file->size(), content_.size());
  EXPECT_EQ(file->path(), server.Url());
  ExpectBytes(*file, 0, 10);
  ExpectBytes(*file, kPageSize - 1, 2);
  ExpectBytes(*file, 7 * kPageSize + 5, 3 * kPageSize);
  ExpectBytes(*file, content_.size() - 1, 1);
  ExpectBytes(*file, content_.size(), 0);
}

TEST_F(HttpFileTest, DropsDoNotMakeItReadAgain) {
  const HttpServer server([&](const HttpServerRequest& request) {
    HttpServerReply reply = ReplyWithRange(request, content_);
    // At places that have nothing to do with pages.
    const size_t sent = 1 + request.number * 7919 % 60'000;
    if (request.number > 0 && sent < reply.body.size()) {
      reply.close_after = sent;
    }
    return reply;
  });
  const auto file = Open(server);
  file->Prefetch(0, content_.size());
  ExpectAll(*file, 50'000);
  EXPECT_EQ(server.sent(), content_.size());
  EXPECT_GE(server.requests(), 200U);
}

TEST_F(HttpFileTest, RefusesReadsBeyondTheEnd) {
  const HttpServer server(Honest());
  const auto file = Open(server);
  Bytes two(2);
  EXPECT_THAT(file->Read(content_.size() - 1, two),
              HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(file->Read(UINT64_MAX, two), HasCode(ErrorCode::kCorrupt));
}

TEST_F(HttpFileTest, ReadsFromTheStartNeedNoFurtherRequest) {
  const HttpServer server(Honest());
  const auto file = Open(server);
  ExpectBytes(*file, 0, HttpFile::kStartSize);
  EXPECT_EQ(server.requests(), 1U);
}

TEST_F(HttpFileTest, ReadsEachPageOnce) {
  const HttpServer server(Honest());
  const auto file = Open(server);
  ExpectAll(*file, 10'000);
  ExpectAll(*file, 10'000);
  EXPECT_EQ(server.sent(), content_.size());
  // Reading ahead takes few large parts.
  EXPECT_LE(server.requests(), 30U);
}

TEST_F(HttpFileTest, LoadsWhatTheReaderWillNeed) {
  const HttpServer server(Honest());
  const auto file = Open(server);
  file->Prefetch(0, content_.size());
  ExpectAll(*file, 1000);
  EXPECT_EQ(server.sent(), content_.size());
  // The reader may be faster than the threads that load.
  EXPECT_LE(server.requests(), 12U);
}

TEST_F(HttpFileTest, SeveralThreadsReadOnePageOnce) {
  const HttpServer server(Honest());
  const auto file = Open(server);
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (size_t i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] { ExpectAll(*file, 5'000 + i * 100'000); });
    }
  }
  EXPECT_EQ(server.sent(), content_.size());
}

TEST_F(HttpFileTest, StopEndsReads) {
  std::stop_source stop;
  const HttpServer server([&](const HttpServerRequest& request) {
    if (request.number > 0) {
      stop.request_stop();
      return HttpServerReply{.status = 503, .headers = {"Retry-After: 50"}};
    }
    return ReplyWithRange(request, content_);
  });
  const auto file = Open(server, 0, stop.get_token());
  Bytes bytes(10);
  EXPECT_THAT(file->Read(content_.size() / 2, bytes),
              HasCode(ErrorCode::kInterrupted));
}

TEST_F(HttpFileTest, FailedReadCanBeRepeated) {
  std::atomic<bool> broken = true;
  const HttpServer server([&](const HttpServerRequest& request) {
    if (request.number > 0 && broken) return HttpServerReply{.status = 403};
    return ReplyWithRange(request, content_);
  });
  const auto file = Open(server);
  Bytes bytes(10);
  EXPECT_THAT(file->Read(content_.size() / 2, bytes), HasCode(ErrorCode::kIo));
  broken = false;
  ExpectBytes(*file, content_.size() / 2, 10);
}

class DiskCacheTest : public HttpFileTest {
 protected:
  static constexpr uint64_t kPlenty = uint64_t{1} << 30;

  std::vector<std::string> CachedFiles() const {
    return ListDirectory(dir_ / "cache");
  }
};

TEST_F(DiskCacheTest, LaterRunReadsNothingAgain) {
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
  const uint64_t sent = server.sent();
  ExpectAll(*Open(server, kPlenty), 100'000);
  EXPECT_EQ(server.sent(), sent + HttpFile::kStartSize);
}

TEST_F(DiskCacheTest, InterruptedDownloadContinues) {
  std::atomic<uint64_t> broken_from = 50 * kPageSize;
  const HttpServer server([&](const HttpServerRequest& request) {
    HttpServerReply reply = ReplyWithRange(request, content_);
    const auto& range = *request.range;
    if (range.second <= broken_from) return reply;
    if (range.first >= broken_from) return HttpServerReply{.status = 403};
    reply.close_after = broken_from - range.first;
    return reply;
  });
  {
    const auto file = Open(server, kPlenty);
    Bytes all(content_.size());
    EXPECT_THAT(file->Read(0, all), HasCode(ErrorCode::kIo));
  }
  const uint64_t sent = server.sent();
  broken_from = UINT64_MAX;
  ExpectAll(*Open(server, kPlenty), 100'000);
  EXPECT_LE(server.sent(),
            sent + HttpFile::kStartSize + content_.size() - 50 * kPageSize);
}

TEST_F(DiskCacheTest, DamagedPagesAreReadAgain) {
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
  for (const std::string& name : CachedFiles()) {
    if (!name.ends_with(".pages")) continue;
    std::string pages = ReadFile(dir_ / "cache/" + name);
    pages[50 * kPageSize] ^= 1;
    WriteFile(dir_ / "cache/" + name, pages);
  }
  const uint64_t sent = server.sent();
  ExpectAll(*Open(server, kPlenty), 100'000);
  EXPECT_EQ(server.sent(), sent + HttpFile::kStartSize + kPageSize);
}

// As after an answer of a server that was damaged, or while its file decays.
TEST_F(DiskCacheTest, ForgottenPagesAreReadAgain) {
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
  content_[50 * kPageSize] ^= 1;
  const auto file = Open(server, kPlenty);
  Bytes kept(kPageSize);
  ASSERT_THAT(file->Read(50 * kPageSize, kept), IsOk());
  EXPECT_NE(AsText(kept), content_.substr(50 * kPageSize, kPageSize));
  EXPECT_TRUE(file->Forget(50 * kPageSize + 1, 50 * kPageSize + 2));
  const uint64_t sent = server.sent();
  ExpectAll(*file, 100'000);
  ExpectAll(*Open(server, kPlenty), 100'000);
  EXPECT_EQ(server.sent(), sent + HttpFile::kStartSize + kPageSize);
}

TEST_F(DiskCacheTest, ForgetsWhatItHasFetchedItself) {
  const HttpServer server(Honest());
  const auto file = Open(server, kPlenty);
  ExpectAll(*file, 100'000);
  EXPECT_FALSE(file->Forget(0, content_.size()))
      << "the server has just sent it";
  content_[50 * kPageSize] ^= 1;
  ExpectAll(*Open(server, kPlenty), 100'000);
}

TEST_F(DiskCacheTest, PagesOfEarlierRunsCanBeLeftAlone) {
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
  content_[50 * kPageSize] ^= 1;
  const auto file = Open(server, kPlenty, {}, DiskPages::kOwn);
  ExpectAll(*file, 100'000);
  const uint64_t sent = server.sent();
  EXPECT_FALSE(file->Forget(50 * kPageSize, 51 * kPageSize));
  ExpectAll(*file, 100'000);
  EXPECT_EQ(server.sent(), sent + kPageSize) << "others are on disk now";
}

TEST_F(DiskCacheTest, AnotherVersionIsAnotherEntry) {
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
  etag_ = "\"2\"";
  content_[70 * kPageSize] ^= 1;
  ExpectAll(*Open(server, kPlenty), 100'000);
  EXPECT_EQ(CachedFiles().size(), 4U);
}

TEST_F(DiskCacheTest, OldestEntriesAreRemoved) {
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
  const auto old = CachedFiles();
  etag_ = "\"2\"";
  // The old entry and a page of the new one are too much.
  ExpectAll(*Open(server, content_.size()), 100'000);
  EXPECT_THAT(CachedFiles(), ::testing::SizeIs(2));
  EXPECT_NE(CachedFiles(), old);
}

TEST_F(DiskCacheTest, EntriesInUseAreKept) {
  const HttpServer server(Honest());
  const auto used = Open(server, kPlenty);
  ExpectAll(*used, 100'000);
  etag_ = "\"2\"";
  ExpectBytes(*Open(server, 1), 0, 10);
  EXPECT_EQ(CachedFiles().size(), 4U);
}

TEST_F(DiskCacheTest, OnlyTheOwnerMayReadTheCache) {
  namespace fs = std::filesystem;
  const HttpServer server(Honest());
  ExpectBytes(*Open(server, kPlenty), 0, 10);
  EXPECT_EQ(fs::status(dir_ / "cache").permissions(), fs::perms::owner_all);
  for (const std::string& name : CachedFiles()) {
    EXPECT_EQ(fs::status(dir_ / "cache/" + name).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
  }
}

// As if a backup had been put back under other names.
TEST_F(DiskCacheTest, PagesOfAnotherEntryAreReadAgain) {
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
  const auto first = CachedFiles();
  etag_ = "\"2\"";
  content_[70 * kPageSize] ^= 1;
  ExpectAll(*Open(server, kPlenty), 100'000);
  for (const std::string& name : CachedFiles()) {
    const std::string file = name.substr(0, name.find('.'));
    if (first.front().starts_with(file)) continue;
    const std::string extension = name.substr(name.find('.'));
    const std::string other = first.front().substr(0, first.front().find('.'));
    WriteFile(dir_ / "cache/" + name,
              ReadFile(dir_ / "cache/" + other + extension));
  }
  ExpectAll(*Open(server, kPlenty), 100'000);
}

TEST_F(DiskCacheTest, PagesInAnotherPlaceAreReadAgain) {
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
  for (const std::string& name : CachedFiles()) {
    const bool map = name.ends_with(".map");
    const size_t size = map ? sizeof(uint64_t) : kPageSize;
    std::string bytes = ReadFile(dir_ / "cache/" + name);
    bytes.replace(50 * size, size, bytes.substr(51 * size, size));
    WriteFile(dir_ / "cache/" + name, bytes);
  }
  ExpectAll(*Open(server, kPlenty), 100'000);
}

TEST_F(DiskCacheTest, LinksToOtherFilesAreNotWrittenTo) {
  namespace fs = std::filesystem;
  const HttpServer server(Honest());
  ExpectBytes(*Open(server, kPlenty), 0, 10);
  WriteFile(dir_ / "precious", "precious");
  for (const std::string& name : CachedFiles()) {
    fs::remove(dir_ / "cache/" + name);
    fs::create_hard_link(dir_ / "precious", dir_ / "cache/" + name);
  }
  ExpectAll(*Open(server, kPlenty), 100'000);
  EXPECT_EQ(ReadFile(dir_ / "precious"), "precious");
  const uint64_t sent = server.sent();
  ExpectAll(*Open(server, kPlenty), 100'000);
  EXPECT_EQ(server.sent(), sent + HttpFile::kStartSize);
}

TEST_F(DiskCacheTest, ACacheOfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
  const std::string cache = dir_ / "cache";
  Require(chown(cache.c_str(), AsSomeone::kNobody, AsSomeone::kNobody) == 0,
          "chown");
  const uint64_t sent = server.sent();
  ExpectAll(*Open(server, kPlenty), 100'000);
  EXPECT_GE(server.sent(), sent + content_.size());
}

TEST_F(DiskCacheTest, CacheThatCannotBeWrittenIsNotUsed) {
  WriteFile(dir_ / "cache", "not a directory");
  const HttpServer server(Honest());
  ExpectAll(*Open(server, kPlenty), 100'000);
}

}  // namespace
}  // namespace zpack::testing
