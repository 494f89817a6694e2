// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "archive/any_archive_writer.h"
#include "archive/compressed_stream.h"
#include "archive/tree_archiver.h"
#include "common_options.h"
#include "huge_heaps.h"
#include "named_output.h"
#include "output_file.h"
#include "pathspec_modes.h"
#include "read/path_filter.h"
#include "read/resolve_name.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace archive_command {
namespace {

void AddOptions(po::options_description& options) {
  options.add_options()("format",
                        po::value<std::string>()->value_name("<format>"),
                        "tar, tar.gz, tar.zst or zip; by default what the name "
                        "of <output> ends in, or tar")(
      "prefix", po::value<std::string>()->value_name("<prefix>"),
      "put <prefix> before each path")(
      "output,o", po::value<std::string>()->value_name("<output>"),
      "write the archive to this file");
  AddReadingOptions(options);
}

// What the archive is made of.
struct Contents {
  ObjectId tree;
  ObjectId commit;  // empty if there is none
  uint64_t time = 0;
  std::string prefix = {};  // of all paths
};

Result<Contents> Find(const ArchiveReader& reader, const std::string& name,
                      std::ostream& err) {
  const auto id = ResolveName(reader, name, err);
  if (!id) return std::unexpected(id.error());
  const auto tree = reader.Peel(*id, ObjectType::kTree);
  if (!tree) return std::unexpected(tree.error());
  Contents contents{.tree = *tree, .commit = {}};
  const auto commit = reader.Peel(*id, ObjectType::kCommit);
  if (!commit) {
    if (commit.error().code != ErrorCode::kNotFound) {
      return std::unexpected(commit.error());
    }
    contents.time = static_cast<uint64_t>(std::time(nullptr));
    return contents;
  }
  const auto object = reader.Read(*commit);
  if (!object) return std::unexpected(object.error());
  contents.commit = *commit;
  contents.time = CommitTime(object->content);
  return contents;
}

enum class ArchiveFormat : uint8_t { kTar, kTarGz, kTarZst, kZip };

constexpr std::array<std::pair<std::string_view, ArchiveFormat>, 6> kFormats = {
    {{"tar", ArchiveFormat::kTar},
     {"tar.gz", ArchiveFormat::kTarGz},
     {"tgz", ArchiveFormat::kTarGz},
     {"tar.zst", ArchiveFormat::kTarZst},
     {"tzst", ArchiveFormat::kTarZst},
     {"zip", ArchiveFormat::kZip}}};

// The format that the options ask for: by its name, or as with git-archive(1)
// by the name of the output. Throws UsageError for an unknown format.
ArchiveFormat FormatOf(const po::variables_map& values) {
  const std::string output = Text(values, "output");
  const std::string format = Text(values, "format");
  for (const auto& [name, known] : kFormats) {
    const bool matches = Has(values, "format")
                             ? format == name
                             : output.ends_with(fmt::format(".{}", name));
    if (matches) return known;
  }
  if (!Has(values, "format")) return ArchiveFormat::kTar;
  throw UnknownValue("archive format", format,
                     {"tar", "tar.gz", "tar.zst", "zip"});
}

Result<PathFilter> PathsOf(const po::variables_map& values) {
  const std::vector<std::string> paths = Texts(values, "path");
  RefusePathspecModes(paths);
  for (const std::string& path : paths) {
    if (path.find_first_of("*?[\\") != std::string::npos) {
      return std::unexpected(
          Error{ErrorCode::kInvalidArgument,
                fmt::format("'{}': wildcards are not supported",
                            QuoteName(path, kMaxNameInMessage))});
    }
  }
  return PathFilter::Parse(paths);
}

// What to write, from the arguments.
struct Plan {
  Contents contents;
  PathFilter paths;
  ArchiveFormat format = ArchiveFormat::kTar;
};

int WriteEntries(const ArchiveReader& reader, const Plan& plan,
                 AnyArchiveWriter& writer, const Io& io) {
  TreeArchiver archiver(reader, plan.paths, plan.contents.prefix, writer,
                        io.stop);
  Status status = archiver.CheckPaths(plan.contents.tree);
  if (status) {
    writer.Begin(plan.contents.commit);
    status = archiver.Write(plan.contents.tree);
  }
  if (status) status = writer.Finish();
  if (!status) return Fail(io, status.error());
  for (const std::string& path : archiver.ignored_attributes()) {
    io.err << fmt::format(
        "warning: the attributes in '{}' are not applied; "
        "'git zpack exec <file> git archive' applies them\n",
        QuoteName(path, kMaxNameInMessage));
  }
  return kDone;
}

int WriteTar(const ArchiveReader& reader, const Plan& plan,
             const NamedOutput& out, const Io& io) {
  AnyArchiveWriter writer(std::in_place_type<TarWriter>, plan.contents.time,
                          out);
  return WriteEntries(reader, plan, writer, io);
}

int WriteCompressed(const ArchiveReader& reader, const Plan& plan,
                    const NamedOutput& out, const Io& io) {
  CompressedStream compressed(plan.format == ArchiveFormat::kTarGz
                                  ? StreamFormat::kGzip
                                  : StreamFormat::kZstd,
                              out.stream);
  std::ostream tar(&compressed);
  const int code = WriteTar(reader, plan, {tar, out.name}, io);
  if (code != kDone || compressed.Finish()) return code;
  return Fail(io, out.Failure());
}

int Write(const ArchiveReader& reader, const Plan& plan, const NamedOutput& out,
          const Io& io) {
  if (plan.format == ArchiveFormat::kTar)
    return WriteTar(reader, plan, out, io);
  if (plan.format != ArchiveFormat::kZip) {
    return WriteCompressed(reader, plan, out, io);
  }
  AnyArchiveWriter writer(std::in_place_type<ZipWriter>, plan.contents.time,
                          out);
  return WriteEntries(reader, plan, writer, io);
}

int Run(const po::variables_map& values, const Io& io) {
  Plan plan;
  plan.format = FormatOf(values);
  auto paths = PathsOf(values);
  if (!paths) return Fail(io, paths.error());
  plan.paths = *std::move(paths);
  const std::string file = FileToRead(values);
  UseHugePages();
  const auto reader =
      ArchiveReader::Open(file, ReadContext(values, io).options());
  if (!reader) return Fail(io, reader.error());
  auto contents = Find(**reader, Text(values, "tree-ish"), io.err);
  if (!contents) return Fail(io, contents.error());
  contents->prefix = Text(values, "prefix");
  plan.contents = *std::move(contents);
  if (!Has(values, "output")) return Write(**reader, plan, {io.out}, io);
  const std::string path = Text(values, "output");
  const Status apart =
      CheckOutput(path, std::span(&file, 1), ReadContext(values, io).options());
  if (!apart) return Fail(io, apart.error());
  return OutputFile(path).Write(io, [&](std::ostream& out) {
    return Write(**reader, plan, NamedOutput::ToFile(out, path), io);
  });
}

}  // namespace
}  // namespace archive_command

const Command kArchiveCommand = {
    "archive",
    "Write the files of a tree in a .zpack file as a tar or ZIP file",
    "[--format=<format>] [--prefix=<prefix>/] [-o <output>] [--download] "
    "<file> "
    "<tree-ish> "
    "[<path>...]",
    {"file", "tree-ish", "path"},
    1,
    LastArgument::kRepeated,
    {},
    true,
    archive_command::AddOptions,
    archive_command::Run,
    {},
    true};

}  // namespace zpack::cli
