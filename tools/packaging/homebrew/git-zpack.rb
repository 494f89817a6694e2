# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0

class GitZpack < Formula
  desc "Compact, verified single-file storage for Git repositories"
  homepage "https://users.invalid/git-zpack"
  url "https://users.invalid/git-zpack/git-zpack-0.9.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "boost"
  depends_on "curl"
  depends_on "fmt"
  depends_on "git"
  depends_on "libdeflate"
  depends_on "libgit2"
  depends_on :linux
  depends_on "openssl@3"
  depends_on "pcre2"
  depends_on "xxhash"
  depends_on "zlib-ng-compat"
  depends_on "zstd"

  fails_with :gcc do
    version "11"
    cause "Requires std::expected"
  end

  def install
    args = %w[
      -DZPACK_TESTS=OFF
      -DCMAKE_UNITY_BUILD=ON
      -DCMAKE_UNITY_BUILD_BATCH_SIZE=32
    ]
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system "git", "init", "-q", "repository"
    system "git", "-C", "repository", "-c", "user.name=A", "-c", "user.email=a@example.com",
           "commit", "-q", "--allow-empty", "-m", "first"
    system bin/"git-zpack", "convert", "-q", "repository", "repository.zpack"
    system bin/"git-zpack", "verify", "-q", "--against", "repository", "repository.zpack"
    assert_match version.to_s, shell_output("#{bin}/git-zpack version")
  end
end
