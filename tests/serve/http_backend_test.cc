// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// git-zpack http-backend, called as a web server calls it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/serve_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kNoCache =
    "Expires: Fri, 01 Jan 1980 00:00:00 GMT\r\n"
    "Pragma: no-cache\r\n"
    "Cache-Control: no-cache, max-age=0, must-revalidate\r\n";
constexpr const char* kInfoRefs = "/info/refs";
constexpr const char* kQuery = "QUERY_STRING=service=git-upload-pack";
constexpr const char* kV2 = "HTTP_GIT_PROTOCOL=version=2";
constexpr const char* kRequestType =
    "CONTENT_TYPE=application/x-git-upload-pack-request";

struct HttpAnswer {
  std::string status = "200 OK";
  std::string header;
  std::string body;
};

class HttpBackendTest : public ServeFixture {
 protected:
  HttpBackendTest() {
    fs::create_directories(root_ + "/group");
    fs::copy_file(file_, root_ + "/group/deep.zpack");
    fs::copy_file(file_, dir_ / "secret.zpack");
    fs::create_symlink("../secret.zpack", root_ + "/out.zpack");
  }

  // Expects that the program succeeds, whatever the status.
  HttpAnswer Call(const std::vector<std::string>& entries,
                  const std::string& input = "") const {
    const ProcessResult result =
        Run({ZpackBinary(), "http-backend"}, entries, input);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    HttpAnswer answer;
    const size_t end = result.out.find("\r\n\r\n");
    EXPECT_NE(end, std::string::npos) << ::testing::PrintToString(result);
    if (end == std::string::npos) return answer;
    answer.header = result.out.substr(0, end + 2);
    answer.body = result.out.substr(end + 4);
    if (answer.header.starts_with("Status: ")) {
      const size_t line = answer.header.find("\r\n");
      answer.status = answer.header.substr(8, line - 8);
      EXPECT_THAT(result.err, StartsWith("fatal: "));
      EXPECT_THAT(SplitLines(result.err), ::testing::SizeIs(1));
    } else {
      EXPECT_EQ(result.err, "");
    }
    EXPECT_THAT(answer.header, HasSubstr(kNoCache));
    return answer;
  }

  HttpAnswer Get(const std::string& path,
                 std::vector<std::string> entries = {}) const {
    entries.insert(entries.begin(),
                   {"REQUEST_METHOD=GET", "GIT_PROJECT_ROOT=" + root_,
                    "PATH_INFO=" + path});
    return Call(entries);
  }

  HttpAnswer Post(const std::string& path, const std::string& body,
                  std::vector<std::string> entries = {}) const {
    entries.insert(entries.begin(),
                   {"REQUEST_METHOD=POST", "GIT_PROJECT_ROOT=" + root_,
                    "PATH_INFO=" + path});
    return Call(entries, body);
  }
  // To the place where Git sends its requests.
  HttpAnswer Ask(const std::string& body,
                 std::vector<std::string> entries = {}) const {
    entries.insert(entries.end(), {kRequestType, kV2});
    return Post("/project.git/git-upload-pack", body, entries);
  }
};

TEST_F(HttpBackendTest, AdvertisesRefs) {
  for (const std::string path :
       {"/project.git", "/project", "/project.zpack", "/group/deep.git"}) {
    const HttpAnswer answer = Get(path + kInfoRefs, {kQuery});
    EXPECT_EQ(answer.status, "200 OK");
    EXPECT_EQ(
        answer.header,
        std::string(kNoCache) +
            "Content-Type: application/x-git-upload-pack-advertisement\r\n");
    EXPECT_THAT(answer.body, StartsWith("001e# service=git-upload-pack\n0000"));
    EXPECT_THAT(answer.body, HasSubstr(" refs/heads/main\n"));
  }
}

TEST_F(HttpBackendTest, AdvertisesCapabilitiesWithoutPreamble) {
  EXPECT_THAT(Get("/project.git/info/refs", {kQuery, kV2}).body,
              StartsWith("000eversion 2\n"));
  EXPECT_THAT(
      Get("/project.git/info/refs", {kQuery, "GIT_PROTOCOL=version=2"}).body,
      StartsWith("000eversion 2\n"));
  // The administrator's choice.
  EXPECT_THAT(
      Get("/project.git/info/refs", {kQuery, kV2, "GIT_PROTOCOL=version=1"})
          .body,
      StartsWith("001e# service=git-upload-pack\n0000000eversion 1\n"));
}

TEST_F(HttpBackendTest, AnswersHeadWithoutBody) {
  const HttpAnswer answer =
      Call({"REQUEST_METHOD=HEAD", "GIT_PROJECT_ROOT=" + root_,
            "PATH_INFO=/project.git/info/refs", kQuery});
  EXPECT_EQ(answer.status, "200 OK");
  EXPECT_EQ(answer.body, "");
  WriteFile(root_ + "/text.zpack", "This is no such file.\n");
  const HttpAnswer broken =
      Call({"REQUEST_METHOD=HEAD", "GIT_PROJECT_ROOT=" + root_,
            "PATH_INFO=/text.git/info/refs", kQuery});
  EXPECT_EQ(broken.status, Get("/text.git/info/refs", {kQuery}).status);
  EXPECT_EQ(broken.status, "500 Internal Server Error");
}

TEST_F(HttpBackendTest, ReadsTheQueryAsGitDoes) {
  for (const std::string query :
       {"service=git%2dupload%2Dpack", "a=b&service=git-upload-pack",
        "service=x&service=git-upload-pack", "&&service=git-upload-pack&"}) {
    EXPECT_EQ(Get("/project.git/info/refs", {"QUERY_STRING=" + query}).status,
              "200 OK")
        << query;
  }
  for (const std::string query :
       {"", "service", "service=", "service=git-upload-packx",
        "service=upload-pack", "service=git+upload-pack",
        "service=git-upload-pack%00", "xservice=git-upload-pack"}) {
    EXPECT_EQ(Get("/project.git/info/refs", {"QUERY_STRING=" + query}).status,
              "403 Forbidden")
        << query;
  }
}

TEST_F(HttpBackendTest, AnswersRequests) {
  const HttpAnswer answer = Ask(kListRefs);
  EXPECT_EQ(answer.status, "200 OK");
  EXPECT_EQ(answer.header,
            std::string(kNoCache) +
                "Content-Type: application/x-git-upload-pack-result\r\n");
  EXPECT_THAT(answer.body, HasSubstr(" refs/heads/main\n"));
}

TEST_F(HttpBackendTest, ReadsNoMoreThanTheContentLength) {
  const std::string size = std::to_string(std::string(kListRefs).size());
  EXPECT_THAT(
      Ask(std::string(kListRefs) + "garbage", {"CONTENT_LENGTH=" + size}).body,
      HasSubstr(" refs/heads/main\n"));
}

TEST_F(HttpBackendTest, UnpacksGzip) {
  const ProcessResult gzip = Run({"gzip", "-c"}, {}, kListRefs);
  ASSERT_TRUE(gzip.ok());
  for (const std::string encoding : {"gzip", "x-gzip"}) {
    EXPECT_THAT(
        Ask(gzip.out, {"HTTP_CONTENT_ENCODING=" + encoding,
                       "CONTENT_LENGTH=" + std::to_string(gzip.out.size())})
            .body,
        HasSubstr(" refs/heads/main\n"));
  }
  EXPECT_EQ(Ask(kListRefs, {"HTTP_CONTENT_ENCODING=br"}).status,
            "415 Unsupported Media Type");
}

// The client is told, as Git tells it.
TEST_F(HttpBackendTest, RefusesBodiesThatCannotBeUnderstood) {
  for (const std::string entry :
       {"HTTP_CONTENT_ENCODING=gzip", "CONTENT_LENGTH=1000"}) {
    const ProcessResult result = Run(
        {ZpackBinary(), "http-backend"},
        {"REQUEST_METHOD=POST", "GIT_PROJECT_ROOT=" + root_,
         "PATH_INFO=/project.git/git-upload-pack", kRequestType, kV2, entry},
        "0014command=ls-refs\n");
    ExpectFatal(result, "the request ");
    EXPECT_THAT(result.out, HasSubstr("ERR the request "));
  }
}

TEST_F(HttpBackendTest, RefusesOtherContentTypes) {
  for (const std::string type :
       {"", "text/plain", "application/x-git-receive-pack-request",
        "application/x-git-upload-pack-request; charset=x"}) {
    const HttpAnswer answer = Post("/project.git/git-upload-pack", kListRefs,
                                   {"CONTENT_TYPE=" + type});
    EXPECT_EQ(answer.status, "415 Unsupported Media Type");
    EXPECT_THAT(
        answer.body,
        HasSubstr("Expected POST with Content-Type "
                  "'application/x-git-upload-pack-request', but received '" +
                  type + "' instead."));
  }
}

TEST_F(HttpBackendTest, RefusesServicesThatAFileDoesNotHave) {
  const std::string forbidden = "403 Forbidden";
  const HttpAnswer push =
      Get("/project.git/info/refs", {"QUERY_STRING=service=git-receive-pack"});
  EXPECT_EQ(push.status, forbidden);
  EXPECT_EQ(push.body, "a .zpack file is read-only: cannot push\n");
  EXPECT_EQ(Get("/project.git/info/refs").status, forbidden);
  EXPECT_EQ(Get("/project.git/HEAD").status, forbidden);
  for (const std::string path : {"info/packs", "ab/cd", "pack/pack-1.pack"}) {
    EXPECT_EQ(Get("/project.git/objects/" + path).status, forbidden);
  }
  EXPECT_EQ(Post("/project.git/git-receive-pack", "0000").status, forbidden);
  EXPECT_EQ(Post("/project.git/git-upload-archive", "0000").status, forbidden);
}

TEST_F(HttpBackendTest, NamesTheMethodsThatAreAllowed) {
  const HttpAnswer post = Get("/project.git/git-upload-pack");
  EXPECT_EQ(post.status, "405 Method Not Allowed");
  EXPECT_THAT(post.header, HasSubstr("\r\nAllow: POST\r\n"));
  const HttpAnswer get = Post("/project.git/info/refs", "", {kQuery});
  EXPECT_EQ(get.status, "405 Method Not Allowed");
  EXPECT_THAT(get.header, HasSubstr("\r\nAllow: GET, HEAD\r\n"));
  for (const std::string method : {"PUT", "get", "GET, HEAD", "OPTIONS"}) {
    EXPECT_EQ(Call({"REQUEST_METHOD=" + method, "GIT_PROJECT_ROOT=" + root_,
                    "PATH_INFO=/project.git/info/refs", kQuery})
                  .status,
              "405 Method Not Allowed");
  }
}

TEST_F(HttpBackendTest, FindsNothingElse) {
  for (const std::string path :
       {"/nothing.git/info/refs", "/out.git/info/refs", "/group/info/refs",
        "/project.git/config", "/project.zpack", "/project.git", "/", "x",
        "/project.git/info/refs/", "/project.zpack/x/info/refs",
        "/objects/info/refs"}) {
    EXPECT_EQ(Get(path, {kQuery}).status, "404 Not Found") << path;
  }
}

TEST_F(HttpBackendTest, ServesFilesThatDependOnOthers) {
  AddOnto(file_, "second.zpack");
  const std::string url = "/second.git/info/refs";
  EXPECT_THAT(Get(url, {kQuery}).body, HasSubstr(" refs/heads/more\n"));
  fs::rename(file_, dir_ / "project.zpack");
  EXPECT_EQ(Get(url, {kQuery}).status, "500 Internal Server Error");
  fs::create_symlink("../project.zpack", file_);
  EXPECT_EQ(Get(url, {kQuery}).status, "500 Internal Server Error");
}

TEST_F(HttpBackendTest, RefusesPathsThatLeadElsewhere) {
  for (const std::string path :
       {"/../secret.git/info/refs", "../secret.git/info/refs",
        "/group/../project.git/info/refs", "/./project.git/info/refs",
        "//project.git/info/refs", "/group//deep.git/info/refs",
        "/group/..%2f../info/refs/../../../secret/info/refs", "/info/refs",
        "/.git/info/refs", "/../info/refs"}) {
    EXPECT_EQ(Get(path, {kQuery}).status, "400 Bad Request") << path;
  }
}

TEST_F(HttpBackendTest, RefusesMalformedRequests) {
  for (const std::string length : {"x", "-1", "1x", "99999999999999999999"}) {
    EXPECT_EQ(Ask(kListRefs, {"CONTENT_LENGTH=" + length}).status,
              "400 Bad Request")
        << length;
  }
}

TEST_F(HttpBackendTest, SaysWhatTheWebServerForgot) {
  const std::string error = "500 Internal Server Error";
  EXPECT_EQ(Call({}).status, error);
  EXPECT_EQ(Call({"REQUEST_METHOD=GET"}).status, error);
  EXPECT_EQ(Call({"REQUEST_METHOD=GET", "GIT_PROJECT_ROOT=" + root_}).status,
            error);
  EXPECT_EQ(
      Call({"REQUEST_METHOD=GET", "GIT_PROJECT_ROOT=" + root_ + "/missing",
            "PATH_INFO=/project.git/info/refs", kQuery})
          .status,
      error);
}

TEST_F(HttpBackendTest, TakesThePathThatTheWebServerFound) {
  const auto status = [this](const std::string& path) {
    return Call({"REQUEST_METHOD=GET", "PATH_TRANSLATED=" + root_ + path,
                 "PATH_INFO=" + path, kQuery})
        .status;
  };
  EXPECT_EQ(status("/project.git/info/refs"), "200 OK");
  EXPECT_EQ(status("/out.git/info/refs"), "404 Not Found");
  EXPECT_EQ(
      Call({"REQUEST_METHOD=GET",
            "PATH_TRANSLATED=" + root_ + "/project.git/info/refs", kQuery})
          .status,
      "200 OK");
}

TEST_F(HttpBackendTest, RunsWithoutArguments) {
  const ProcessResult result =
      Run({Programs() + "/git-zpack-http-backend"},
          {"REQUEST_METHOD=GET", "GIT_PROJECT_ROOT=" + root_,
           "PATH_INFO=/project.git/info/refs", kQuery});
  EXPECT_THAT(result.out, HasSubstr(" refs/heads/main\n"));
}

}  // namespace
}  // namespace zpack::testing
