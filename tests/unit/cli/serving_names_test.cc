// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What clients may write for a file: in commands, URLs and addresses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "exec/remote_location.h"
#include "percent_code.h"
#include "serve/cgi_request.h"
#include "serve/http_route.h"
#include "serve/served_root.h"
#include "serve/ssh_command.h"

namespace zpack::cli {
namespace {

using std::string_literals::operator""s;

TEST(ServedName, IsOneFileForEachSpelling) {
  for (const std::string name :
       {"a/b", "/a/b", "a/b.git", "/a/b.zpack", "a/b/", "/a/b.git/"}) {
    EXPECT_EQ(ServedName(name).value_or("none"), "a/b.zpack") << name;
  }
  EXPECT_EQ(ServedName("a.zpack.git").value_or("none"), "a.zpack.zpack");
  EXPECT_EQ(ServedName("...").value_or("none"), "....zpack");
}

TEST(ServedName, LeavesNoWayOut) {
  for (const std::string& name :
       {""s, "/"s, "//"s, "//a"s, "a//b"s, "a//"s, "."s, ".."s, "../a"s,
        "a/.."s, "a/../b"s, "a/./b"s, "a/..git"s + "/"s, ".git"s, "a/.zpack"s,
        "a\0b"s, "..git"s, "...git"s}) {
    const auto served = ServedName(name);
    ASSERT_FALSE(served) << *served;
    EXPECT_EQ(served.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Dequote, RemovesOnlyGitsQuotes) {
  EXPECT_EQ(Dequote("''").value_or("none"), "");
  EXPECT_EQ(Dequote("'a b'").value_or("none"), "a b");
  EXPECT_EQ(Dequote(R"('a'\''b'\!'c')").value_or("none"), "a'b!c");
  EXPECT_EQ(Dequote(R"('\n$`"')").value_or("none"), R"(\n$`")");
  for (const std::string text :
       {"", "a", "'", "'a", "a'", "'a'b", "'a' ", R"('a'\'')", R"('a'\!)",
        R"('a'\ 'b')", "'a''b'", R"('a'\)"}) {
    EXPECT_FALSE(Dequote(text)) << text;
  }
}

TEST(PathOfLocation, DecodesUrlsOnly) {
  EXPECT_EQ(PathOfLocation("a%20b+c").value_or("none"), "a%20b+c");
  EXPECT_EQ(PathOfLocation("a:b").value_or("none"), "a:b");
  EXPECT_EQ(PathOfLocation("/x/y://z").value_or("none"), "/x/y://z");
  EXPECT_EQ(PathOfLocation("file:///a%20b+c").value_or("none"), "/a b+c");
  EXPECT_EQ(PathOfLocation("zpack://localhost/a").value_or("none"), "/a");
  EXPECT_EQ(PathOfLocation("https://h/a%20b").value_or("none"),
            "https://h/a%20b");
  for (const std::string& location :
       {""s, "file://"s, "file://localhost"s, "zpack://host/a"s,
        "ftp://localhost/a"s, "file:///%00"s, "a\0b"s}) {
    EXPECT_FALSE(PathOfLocation(location)) << location;
  }
}

TEST(PercentDecode, KeepsWhatIsNotAnEscape) {
  EXPECT_EQ(PercentDecode("%", Plus::kPlus), "%");
  EXPECT_EQ(PercentDecode("%4", Plus::kPlus), "%4");
  EXPECT_EQ(PercentDecode("%4g%+1%-1", Plus::kPlus), "%4g%+1%-1");
  EXPECT_EQ(PercentDecode("%41%2f%2F%25", Plus::kPlus), "A//%");
  EXPECT_EQ(PercentDecode("a+b", Plus::kSpace), "a b");
}

TEST(QueryParameter, LastValueCounts) {
  EXPECT_EQ(QueryParameter("a=1&b=2&a=3", "a"), "3");
  EXPECT_EQ(QueryParameter("a", "a"), "");
  EXPECT_EQ(QueryParameter("a=b=c", "a"), "b=c");
  EXPECT_EQ(QueryParameter("%61=x", "a"), "x");
  EXPECT_EQ(QueryParameter("", "a"), std::nullopt);
  EXPECT_EQ(QueryParameter("&=&ab=1", "a"), std::nullopt);
}

TEST(RouteOf, SeparatesActionAndRepository) {
  EXPECT_EQ(RouteOf("/a/info/refs/info/refs")->repository, "/a/info/refs");
  EXPECT_EQ(RouteOf("/objects/a/git-upload-pack")->repository, "/objects/a");
  EXPECT_EQ(RouteOf("/a/objects/pack/x")->action, HttpAction::kFile);
  EXPECT_EQ(RouteOf("/a/git-receive-pack")->action, HttpAction::kOtherService);
  for (const std::string path :
       {"", "/", "/a", "info/refs", "/a/info/refs/", "/a/xgit-upload-pack"}) {
    EXPECT_FALSE(RouteOf(path)) << path;
  }
}

}  // namespace
}  // namespace zpack::cli
