// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "common_options.h"
#include "named_output.h"
#include "zpack/archive_reader.h"
#include "zpack/publish_file.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

// `number` is that of the error, if it is known.
Error CannotCreate(const fs::path& path, int number = 0) {
  return {
      ErrorCode::kIo,
      fmt::format("unable to create '{}'{}{}", QuoteName(path.native()),
                  number == 0 ? "" : ": ",
                  number == 0 ? "" : std::generic_category().message(number))};
}

std::optional<struct stat> StatusOf(const fs::path& path) {
  struct stat info;
  // A link that leads nowhere stands for itself.
  if (stat(path.c_str(), &info) == 0 || lstat(path.c_str(), &info) == 0) {
    return info;
  }
  return std::nullopt;
}

// kInvalidArgument if `output` is the file `input`, or one that it depends on.
Status CheckIsNoInput(const std::string& output, const std::string& input,
                      const ReadOptions& options) {
  std::error_code error;
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
  for (const std::string& file : files.value_or(std::vector<std::string>())) {
    if (!fs::equivalent(output, file, error)) continue;
    return refuse(fmt::format("a file that '{}' depends on",
                              QuoteName(input, kMaxNameInMessage)));
  }
  return {};
}

// Writes and closes the file `path`. Returns the exit code.
int WriteTo(std::ofstream& file, const fs::path& path, const Io& io,
            const std::function<int(std::ostream&)>& write) {
  ErrnoKeeper keeper(*file.rdbuf());
  std::ostream out(&keeper);
  const int code = write(out);
  if (code != kDone) return code;
  out.flush();
  if (!out) return Fail(io, NamedOutput::ToFile(out, path).Failure());
  file.close();
  return file ? kDone : Fail(io, NamedOutput::ToFile(file, path).Failure());
}

}  // namespace

OutputFile::OutputFile(fs::path path) : path_(std::move(path)) {
  if (is_standard_output()) return;
  identity_ = IdentityOf(path_);
  old_ = StatusOf(path_);
}

bool OutputFile::exists() const { return old_.has_value(); }

int OutputFile::WriteToStream(const Io& io,
                              const std::function<int(std::ostream&)>& write) {
  const int code = write(io.out);
  if (code != kDone) return code;
  io.out.flush();
  return io.out ? kDone : Fail(io, NamedOutput{io.out}.Failure());
}

int OutputFile::WriteInPlace(
    const Io& io, const std::function<int(std::ostream&)>& write) const {
  std::ofstream out(path_, std::ios::binary | std::ios::trunc);
  if (!out) return Fail(io, CannotCreate(path_, errno));
  return WriteTo(out, path_, io, write);
}

int OutputFile::Write(const Io& io,
                      const std::function<int(std::ostream&)>& write) const {
  if (is_standard_output()) return WriteToStream(io, write);
  if (old_ && !S_ISREG(old_->st_mode)) return WriteInPlace(io, write);
  auto created = ReplacementFile::Create(path_.native());
  if (!created) {
    Error error = std::move(created).error();
    error.message = CannotCreate(path_).message + ": " + error.message;
    return Fail(io, error);
  }
  std::ofstream out(created->temporary_path(), std::ios::binary);
  if (!out) return Fail(io, CannotCreate(path_, errno));
  const int code = WriteTo(out, path_, io, write);
  if (code != kDone) return code;
  const Status published = created->Publish(identity_);
  return published ? kDone : Fail(io, published.error());
}

Status CheckOutput(const std::string& output,
                   std::span<const std::string> inputs,
                   const ReadOptions& options) {
  std::error_code error;
  if (output == "-" || !fs::exists(output, error)) return {};
  for (const std::string& input : inputs) {
    const Status apart = CheckIsNoInput(output, input, options);
    if (!apart) return apart;
  }
  Status replaceable = CheckReplaceable(output);
  if (!replaceable) {
    replaceable.error().message += "; remove it first if nothing needs it";
  }
  return replaceable;
}

void HintAtReplacing(const boost::program_options::variables_map& values,
                     const Error& error, const std::string& output,
                     std::ostream& err) {
  std::error_code none;
  // Other errors of the kind are about the temporary file, or about a file that
  // is brought up to date.
  if (error.code != ErrorCode::kExists || Has(values, "force") ||
      Has(values, "update") || !fs::equivalent(error.path, output, none)) {
    return;
  }
  err << "hint: use --force to replace it\n";
}

}  // namespace zpack::cli
