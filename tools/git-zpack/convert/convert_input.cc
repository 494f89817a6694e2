// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/convert_input.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string_view>
#include <system_error>
#include <vector>

#include "run_git.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

bool IsBundle(const std::string& path) {
  constexpr std::array<std::string_view, 2> kSignatures = {"# v2 git bundle\n",
                                                           "# v3 git bundle\n"};
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::string start(kSignatures.front().size(), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in.good() &&
         (start == kSignatures.front() || start == kSignatures.back());
}

// Returns whether Git takes `name` for the address of another machine or of a
// transport: 'scheme://...', 'transport::...' or 'host:path'. REQUIRES: there
// is no file of that name.
bool IsAddress(std::string_view name) {
  const size_t colon = name.find(':');
  return colon != std::string_view::npos && colon != 0 &&
         name.find('/') > colon;
}

// `address` with two slashes after the scheme, as Git expects them when it
// takes user and password out of its messages. Git and curl also accept one,
// and curl three.
std::string WithTwoSlashes(const std::string& address) {
  const size_t colon = address.find(':');
  const size_t host = address.find_first_not_of('/', colon + 1);
  const std::string scheme = address.substr(0, colon);
  if ((scheme != "http" && scheme != "https") || host == std::string::npos) {
    return address;
  }
  return scheme + "://" + address.substr(host);
}

Status Clone(const std::string& name, const std::string& directory,
             ConvertInput::Report report, const Io& io) {
  // Without templates and reflogs, the same source gives the same file.
  std::vector<std::string> arguments = {
      "-c",          "core.logAllReflogs=false", "clone", "--mirror",
      "--template=", "--origin=origin"};
  if (report == ConvertInput::Report::kSilent) {
    arguments.emplace_back("--quiet");
    // Or newer Git explains how it names the branch of a bundle without HEAD.
    const std::string branch =
        LineFromGit({"var", "GIT_DEFAULT_BRANCH"}, "", io.stop);
    if (!branch.empty()) {
      arguments.insert(arguments.begin(),
                       {"-c", "init.defaultBranch=" + branch});
    }
  }
  arguments.insert(arguments.end(), {"--", WithTwoSlashes(name), directory});
  const Status cloned =
      CheckGit("git clone", RunGit(arguments, io.stop), io.stop);
  if (!cloned) return cloned;
  // The clone's own settings are not those of a repository that anybody uses.
  return CheckGit("git config",
                  RunGit({"--git-dir=" + directory, "config",
                          "--remove-section", "remote.origin"},
                         io.stop),
                  io.stop);
}

}  // namespace

Result<ConvertInput> ConvertInput::Open(const std::string& name, Report report,
                                        const Io& io) {
  ConvertInput input(name);
  std::error_code error;
  const bool exists = fs::exists(fs::symlink_status(name, error));
  if (exists ? !IsBundle(name) : !IsAddress(name)) return input;
  auto directory = TemporaryDirectory::Create();
  if (!directory) return std::unexpected(directory.error());
  input.path_ = directory->path() + "/clone.git";
  input.cloned_from_ = NameWithoutSecrets(name);
  if (report == Report::kPrinted) {
    io.err << fmt::format("Cloning '{}' with 'git clone --mirror'.\n",
                          QuoteName(input.cloned_from_));
    io.err.flush();
  }
  const Status cloned = Clone(name, input.path_, report, io);
  if (!cloned) return std::unexpected(cloned.error());
  input.directory_.emplace(*std::move(directory));
  return input;
}

}  // namespace zpack::cli
