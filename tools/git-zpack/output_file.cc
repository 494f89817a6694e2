// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "common_options.h"
#include "zpack/archive_reader.h"
#include "zpack/publish_file.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

Error CannotCreate(const fs::path& path) {
  return {ErrorCode::kIo,
          fmt::format("unable to create '{}'", QuoteName(path.native()))};
}

std::optional<struct stat> StatusOf(const fs::path& path) {
  struct stat info;
  // A link that leads nowhere stands for itself.
  if (stat(path.c_str(), &info) == 0 || lstat(path.c_str(), &info) == 0) {
    return info;
  }
  return std::nullopt;
}

// Removes the file, unless it has got its name.
class TemporaryOutput {
 public:
  explicit TemporaryOutput(const fs::path& path) : path_(path) {}
  ~TemporaryOutput() {
    std::error_code ignored;
    if (!published_) fs::remove(path_, ignored);
  }
  TemporaryOutput(const TemporaryOutput&) = delete;
  TemporaryOutput& operator=(const TemporaryOutput&) = delete;

  void set_published() { published_ = true; }

 private:
  const fs::path& path_;
  bool published_ = false;
};

}  // namespace

OutputFile::OutputFile(fs::path path)
    : path_(std::move(path)),
      identity_(IdentityOf(path_)),
      old_(StatusOf(path_)) {}

bool OutputFile::exists() const { return old_.has_value(); }

int OutputFile::Write(const Io& io,
                      const std::function<int(std::ostream&)>& write) const {
  if (old_ && !S_ISREG(old_->st_mode)) {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    if (!out) return Fail(io, CannotCreate(path_));
    const int code = write(out);
    out.close();
    return code == kDone && !out ? Fail(io, CannotCreate(path_)) : code;
  }
  std::error_code error;
  const fs::path path = old_ ? fs::canonical(path_, error) : path_;
  if (error) return Fail(io, CannotCreate(path_));
  fs::path temporary = path;
  temporary += fmt::format(".new-{}", getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::noreplace);
  if (!out) return Fail(io, CannotCreate(path_));
  TemporaryOutput made(temporary);
  if (old_) {
    fs::permissions(temporary,
                    static_cast<fs::perms>(old_->st_mode) & fs::perms::mask,
                    error);
  }
  int code = error ? Fail(io, CannotCreate(path_)) : write(out);
  out.close();
  if (code == kDone && !out) code = Fail(io, CannotCreate(path_));
  if (code != kDone) return code;
  const Status published = PublishFile(temporary, path_, identity_);
  if (published) {
    made.set_published();
    return kDone;
  }
  return Fail(io, published.error().code == ErrorCode::kIo ? CannotCreate(path_)
                                                           : published.error());
}

Status CheckIsNoInput(const std::string& output, const std::string& input,
                      const ReadOptions& options) {
  std::error_code error;
  if (!fs::exists(output, error)) return {};
  const auto refuse = [&](std::string_view what) {
    return std::unexpected(Error{
        .code = ErrorCode::kInvalidArgument,
        .message = fmt::format("the output '{}' is {}",
                               QuoteName(output, kMaxNameInMessage), what),
        .path = output});
  };
  if (fs::equivalent(output, input, error)) {
    return refuse("the .zpack file itself");
  }
  const auto files = ListChain(input, options);
  if (!files) return {};
  for (const std::string& file : *files) {
    if (!fs::equivalent(output, file, error)) continue;
    return refuse(fmt::format("a file that '{}' depends on",
                              QuoteName(input, kMaxNameInMessage)));
  }
  return {};
}

}  // namespace zpack::cli
