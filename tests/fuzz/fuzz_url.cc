// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file on a web server that answers as the input says, and the cache on disk.
// The first byte is the number of replies; each takes four bytes (Edit), and
// those after it are served as they are expected. What follows are damages of
// the cache: a place of two bytes, and what is added there. As long as the
// server sends the right bytes, what is read is right; a damaged cache costs
// nothing but time.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "http/http_file.h"
#include "support/http_server.h"
#include "support/memory_source.h"
#include "support/repo_builder.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"

namespace {

using namespace zpack;
using namespace zpack::testing;

// Some pages.
const std::string& Content() {
  static const std::string content = RandomBytes(1, 5 * kPageSize + 1234);
  return content;
}

// How a reply differs from what is expected.
struct Edit {
  uint8_t kind = 0;
  uint8_t a = 0;
  uint8_t b = 0;
  uint8_t c = 0;

  uint64_t number() const { return uint64_t{a} << 16 | b << 8 | c; }
};

class Server {
 public:
  explicit Server(std::vector<Edit> edits)
      : edits_(std::move(edits)),
        server_([this](const HttpServerRequest& request) {
          return Reply(request);
        }) {}

  std::string Url() const { return server_.Url(); }
  // Whether no byte of the file was sent wrong, or at the wrong place.
  bool honest() const { return honest_; }
  void BeHonest() { edited_ = false; }

 private:
  HttpServerReply Reply(const HttpServerRequest& request) {
    HttpServerReply reply = ReplyWithRange(request, Content());
    if (edited_ && request.number < edits_.size()) {
      Change(edits_[request.number], reply);
    }
    return reply;
  }

  static void Replace(HttpServerReply& reply, const std::string& name,
                      const std::string& value) {
    std::erase_if(reply.headers, [&](const std::string& header) {
      return header.starts_with(name + ": ");
    });
    reply.headers.push_back(name + ": " + value);
  }

  void Change(const Edit& edit, HttpServerReply& reply) {
    constexpr std::array<int, 16> kStatus = {200, 204, 206, 301, 302, 304,
                                             307, 400, 403, 404, 412, 416,
                                             429, 500, 503, 999};
    const std::string number = std::to_string(edit.number());
    const size_t place =
        reply.body.empty()
            ? 0
            : static_cast<size_t>(edit.number()) % reply.body.size();
    switch (edit.kind % 12) {
      case 0:
        break;
      case 1:
        reply.status = kStatus[edit.a % kStatus.size()];
        break;
      case 2:
        Replace(reply, "Content-Range",
                "bytes " + number + '-' +
                    std::to_string(edit.number() + reply.body.size() - 1) +
                    '/' + std::to_string(Content().size()));
        break;
      case 3:
        // Another size of the file.
        Replace(reply, "Content-Range",
                (edit.a & 1) != 0
                    ? "bytes */" + number
                    : "bytes 0-" + std::to_string(reply.body.size() - 1) + '/' +
                          std::to_string(edit.number() / 8));
        break;
      case 4:
        std::erase_if(reply.headers, [](const std::string& header) {
          return header.starts_with("Content-Range");
        });
        break;
      case 5:
        // More than there is; the connection closes.
        Replace(reply, "Content-Length",
                std::to_string(reply.body.size() + edit.number()));
        reply.close_after = reply.body.size();
        break;
      case 6:
        Replace(reply, "ETag",
                (edit.a & 1) != 0 ? "W/\"1\"" : '"' + number + '"');
        break;
      case 7:
        reply.close_after = place;
        break;
      case 8:
        Replace(reply, "Retry-After", std::to_string(edit.a & 1));
        reply.status = 503;
        break;
      case 9:
        Replace(reply, "Location", (edit.a & 1) != 0 ? "/x.zpack" : "/");
        reply.status = 302;
        break;
      case 10:
        Replace(reply, "Content-Encoding", (edit.a & 1) != 0 ? "gzip" : "x");
        break;
      default:
        if (!reply.body.empty()) {
          honest_ = false;
          reply.body.resize(reply.body.size() - edit.a % 2);
          reply.body[place / 2] ^= static_cast<char>(edit.c | 1);
        }
    }
    // A range that begins elsewhere.
    if (edit.kind % 12 == 2 || edit.kind % 12 == 3) honest_ = false;
  }

  const std::vector<Edit> edits_;
  std::atomic<bool> edited_ = true;
  std::atomic<bool> honest_ = true;
  HttpServer server_;  // last, so that its threads end first
};

HttpSettings Impatient() {
  HttpSettings settings;
  settings.timeouts = {.connect_seconds = 2, .stalled_seconds = 2};
  settings.max_tries = 3;
  settings.first_wait = std::chrono::milliseconds(0);
  settings.max_wait = std::chrono::seconds(0);
  return settings;
}

// Reads the whole file. Returns whether it could be read; what was read must be
// right unless the server lied.
bool Read(const Server& server, const std::string& cache) {
  auto opened =
      RemoteFile::Open(server.Url(), Impatient(), HttpFile::kStartSize, {});
  if (!opened || opened->whole_only) return false;
  auto disk = DiskCache::Open({cache, uint64_t{1} << 20},
                              opened->file->Version(), kPageSize);
  const HttpFile file(PageLoader(std::move(opened->file), std::move(disk)),
                      std::move(opened->start), NeighbourOpener(), {});
  if (file.size() > 2 * Content().size()) return false;
  bool all = file.size() == Content().size();
  constexpr size_t kStep = 100'000;
  for (uint64_t at = 0; at < file.size(); at += kStep) {
    Bytes bytes(std::min<uint64_t>(kStep, file.size() - at));
    if (!file.Read(at, bytes)) {
      all = false;
    } else if (server.honest() &&
               !std::string_view(Content())
                    .substr(std::min<size_t>(at, Content().size()))
                    .starts_with(AsText(bytes))) {
      std::abort();
    }
  }
  return all;
}

void DamageCache(const std::string& cache, ByteReader& in) {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(cache)) {
    if (entry.is_regular_file()) paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  while (in.remaining() >= 4 && !paths.empty()) {
    const std::string& path = paths[in.U8() % paths.size()];
    std::string content = ReadFile(path);
    const size_t place = in.U16();
    const uint8_t change = in.U8();
    if (change == 0) content.resize(std::min<size_t>(content.size(), place));
    if (!content.empty()) {
      content[place * 7919 % content.size()] ^= static_cast<char>(change);
    }
    WriteFile(path, content);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool direct = setenv("no_proxy", "*", 1) == 0;
  (void)direct;
  ByteReader in(ByteView(data, size));
  std::vector<Edit> edits(in.U8() % 32);
  for (Edit& edit : edits) edit = {in.U8(), in.U8(), in.U8(), in.U8()};
  const TempDir directory;
  const std::string cache = directory / "cache";
  Server server(std::move(edits));
  (void)Read(server, cache);
  if (!server.honest()) return 0;
  if (std::filesystem::exists(cache)) DamageCache(cache, in);
  server.BeHonest();
  if (!Read(server, cache)) std::abort();
  return 0;
}
