// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "common_options.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <ostream>
#include <ranges>
#include <system_error>
#include <utility>

#include "counted.h"
#include "standard_input_file.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

// Makes malloc return segments of large objects to the system when they are
// freed. By default it keeps them, and fragmentation then takes up to twice the
// memory that is in use. The threshold for the end of a heap is what malloc
// would adapt to by itself.
void ReturnLargeBuffers() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
#endif
}

// If memory is scarce, makes malloc return freed memory to all threads and to
// the system. Threads then wait for each other more often.
void SaveMemory([[maybe_unused]] uint64_t memory) {
#ifdef __GLIBC__
  if (memory < RunOptions::kPlentyOfMemory) mallopt(M_ARENA_MAX, 1);
  // When restoring libgit2, this takes 10 % more time and 20 % less memory.
  if (memory < RunOptions::kPlentyOfMemory / 4) {
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
  }
#endif
}

}  // namespace

void AddRunOptions(po::options_description& options) {
  AddThreadsOption(options);
  options.add_options()("quiet,q", "print only errors")(
      "progress", "show progress even if standard error is not a terminal")(
      "no-progress", "do not show progress");
}

void AddThreadsOption(po::options_description& options) {
  options.add_options()("threads", po::value<std::string>()->value_name("<n>"),
                        "number of worker threads; 0 (default): one per "
                        "processor");
}

void AddMemoryOption(po::options_description& options) {
  options.add_options()("memory",
                        po::value<std::string>()->value_name("<size>"),
                        "limit for the whole process; default: a quarter of "
                        "the machine's memory");
}

void AddDiscoveryOption(po::options_description& options) {
  options.add_options()(
      "discover",
      "if the path is not a repository, search its parent directories");
}

void AddJsonOption(po::options_description& options) {
  options.add_options()("json", "print the result as JSON");
}

void AddDownloadOption(po::options_description& options) {
  options.add_options()("download",
                        "if <file> is a URL whose server cannot send parts of "
                        "files: download all of it");
}

void AddBackingOption(po::options_description& options) {
  options.add_options()(
      "backing",
      po::value<std::vector<std::string>>()->composing()->value_name("<path>"),
      "file or directory to look in for the files that <file> depends on; may "
      "be repeated");
}

std::vector<std::string> BackingOf(const po::variables_map& options) {
  return options.contains("backing") ? Texts(options, "backing")
                                     : std::vector<std::string>();
}

void AddReadingOptions(po::options_description& options) {
  AddDownloadOption(options);
  AddBackingOption(options);
  options.add_options()("no-cache",
                        "neither use nor keep anything in the cache directory");
}

ReadContext::ReadContext(const po::variables_map& options, const Io& io)
    : err_(io.err) {
  if (Has(options, "download")) options_.download = Download::kYes;
  if (options.contains("no-cache")) options_.max_disk_cache = 0;
  options_.backing = BackingOf(options);
  if (io.err_is_terminal && !options.contains("quiet")) {
    meter_ = std::make_unique<ProgressMeter>(
        ProgressMeter::Display{
            .err = io.err, .columns = ColumnsOfTerminal, .stop = io.stop},
        std::vector<PhaseShare>{});
  }
  options_.derivation.progress = meter_.get();
  options_.derivation.stop = io.stop;
  options_.damages = this;
}

void ReadContext::OnDamage(const Error& damage) {
  err_ << "warning: "
       << EscapeUnprintable(WithStandardInputNamed(damage.message)) << '\n';
}

RunContext::RunContext(const po::variables_map& options, const Io& io,
                       std::vector<PhaseShare> phases, uint64_t least_memory)
    : quiet_(Has(options, "quiet")) {
  const bool wanted = Has(options, "progress") || io.err_is_terminal;
  if (wanted && !quiet_ && !Has(options, "no-progress")) {
    ProgressMeter::Display display{.err = io.err, .stop = io.stop};
    if (io.err_is_terminal) display.columns = ColumnsOfTerminal;
    meter_ =
        std::make_unique<ProgressMeter>(std::move(display), std::move(phases));
  }
  run_ = ResourcesOf(options);
  if (!quiet_) WarnOfLittleMemory(options, least_memory, io.err);
  run_.progress = meter_.get();
  run_.stop = io.stop;
}

void WarnOfLittleMemory(const po::variables_map& options, uint64_t least_memory,
                        std::ostream& err) {
  if (!Has(options, "memory") ||
      ParseSize(Text(options, "memory"), "memory") >= least_memory) {
    return;
  }
  constexpr uint64_t kMebibyte = uint64_t{1} << 20;
  err << fmt::format(
      "warning: '--memory {}' is too little: one thread may take {}m\n",
      Text(options, "memory"), (least_memory + kMebibyte - 1) / kMebibyte);
}

RunOptions ResourcesOf(const po::variables_map& options) {
  ReturnLargeBuffers();
  RunOptions run;
  run.threads = static_cast<unsigned>(
      Number(options, "threads", 0, RunOptions::kMaxThreads, 0));
  if (Has(options, "memory")) {
    run.memory = ParseSize(Text(options, "memory"), "memory");
    SaveMemory(*run.memory);
  }
  return run;
}

void AddWithoutOption(po::options_description& options) {
  options.add_options()(
      "without",
      po::value<std::vector<std::string>>()->composing()->value_name("<group>"),
      "leave out a group of files: reflogs, description, info, hooks, lfs, "
      "config, worktrees, alternates or other; may be repeated");
}

std::vector<FileGroup> WithoutOf(const po::variables_map& options) {
  std::vector<FileGroup> groups;
  for (const std::string& name : Texts(options, "without")) {
    const auto group = ParseFileGroup(name);
    if (!group) {
      std::vector<std::string_view> names;
      std::ranges::transform(kAllFileGroups, std::back_inserter(names),
                             FileGroupName);
      throw UnknownValue("group", name, names);
    }
    groups.push_back(*group);
  }
  return groups;
}

Discovery DiscoveryOf(const po::variables_map& options) {
  return Has(options, "discover") ? Discovery::kUpwards : Discovery::kNone;
}

void RefuseRepository(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto has = [&](const char* name) {
    return fs::exists(fs::path(path) / name, ignored);
  };
  if (!fs::is_directory(path, ignored) ||
      !(has(".git") || (has("HEAD") && has("objects")))) {
    return;
  }
  throw CommandFailure{
      Error{.code = ErrorCode::kInvalidArgument,
            .message = fmt::format(
                "'{}' is a Git repository, not a .zpack file; to make a file "
                "of it: git zpack convert {} <file>",
                QuoteName(path, kMaxNameInMessage), QuoteForShell(path)),
            .path = path}};
}

std::string FileToRead(const po::variables_map& options) {
  return FilesToRead({Text(options, "file")}).front().path;
}

std::vector<InputFile> FilesToRead(const po::variables_map& options) {
  return FilesToRead(Texts(options, "file"));
}

std::vector<InputFile> FilesToRead(const std::vector<std::string>& paths) {
  std::vector<InputFile> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) {
    if (path != "-") {
      // One of several files is reported beside the others.
      if (paths.size() == 1) RefuseRepository(path);
      files.push_back({path, NameWithoutSecrets(path)});
      continue;
    }
    if (paths.size() > 1) {
      throw UsageError{"'-' cannot be one of several files"};
    }
    auto standard_input = StandardInputAsFile();
    if (!standard_input) throw CommandFailure{standard_input.error()};
    files.push_back({*std::move(standard_input), kStandardInputName});
  }
  return files;
}

void RefuseForSeveralFiles(const po::variables_map& options,
                           std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (!Has(options, name)) continue;
    throw UsageError{
        fmt::format("option '--{}' cannot be used with several files", name)};
  }
}

void RefuseBeside(const po::variables_map& options, const char* option,
                  std::initializer_list<const char*> others) {
  if (!Has(options, option)) return;
  for (const char* const other : others) {
    if (!Has(options, other)) continue;
    throw UsageError{fmt::format("options '--{}' and '--{}' exclude each other",
                                 option, other)};
  }
}

void RefuseWithStream(const po::variables_map& options, const char* argument,
                      std::initializer_list<const char*> names) {
  if (Text(options, argument) != "-") return;
  for (const char* const name : names) {
    if (!Has(options, name)) continue;
    throw UsageError{
        fmt::format("option '--{}' cannot be used with standard output", name)};
  }
}

bool Has(const po::variables_map& options, const char* name) {
  return options.count(name) != 0;
}

std::string Text(const po::variables_map& options, const char* name) {
  return Has(options, name) ? options[name].as<std::string>() : "";
}

std::vector<std::string> Texts(const po::variables_map& options,
                               const char* name) {
  if (!Has(options, name)) return {};
  return options[name].as<std::vector<std::string>>();
}

int64_t Number(const po::variables_map& options, const char* name, int64_t low,
               int64_t high, int64_t otherwise) {
  if (!Has(options, name)) return otherwise;
  return NumberFrom(Text(options, name), name, low, high);
}

int64_t NumberFrom(const std::string& text, const char* name, int64_t low,
                   int64_t high) {
  int64_t value = 0;
  const bool plus = text.starts_with('+') && !text.starts_with("+-");
  const char* const begin = text.data() + (plus ? 1 : 0);
  const auto [end, error] =
      std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low ||
      value > high) {
    throw UsageError{
        fmt::format("option '{}{}' expects a number from {} to "
                    "{}, not '{}'",
                    std::string_view(name).size() == 1 ? "-" : "--", name, low,
                    high, text)};
  }
  return value;
}

std::string StaleParityText(const std::string& parity,
                            const std::string& file) {
  return fmt::format(
      "warning: '{}' is the parity of another version of '{}' and cannot "
      "repair it; 'git zpack protect --beside' replaces the parity\n",
      QuoteName(parity), QuoteName(file));
}

std::string ParityBeside(const std::string& file) { return file + ".zpar"; }

void WarnOfOldParity(const std::string& file, std::ostream& err) {
  std::error_code error;
  const std::string parity = ParityBeside(file);
  if (!std::filesystem::exists(parity, error)) return;
  err << StaleParityText(parity, file);
}

void AddRedundancyOption(po::options_description& options) {
  options.add_options()(
      "redundancy", po::value<std::string>()->value_name("<percent>"),
      "parity in percent of the file, 0.01% to 100% (5% without the option)");
}

std::optional<uint32_t> PercentOf(const po::variables_map& options,
                                  const char* name) {
  if (!Has(options, name)) return std::nullopt;
  const std::string text = Text(options, name);
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  const size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, point);
  std::string digits(whole);
  // Two decimals at most, so that the value is exact.
  const std::string_view decimals =
      point == number.size() ? "" : number.substr(point + 1);
  digits += decimals;
  digits.append(2 - std::min<size_t>(2, decimals.size()), '0');
  uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (whole.empty() || decimals.size() > 2 || error != std::errc() ||
      end != digits.data() + digits.size() || value == 0 || value > 10'000) {
    throw UsageError{fmt::format(
        "option '--{}' expects a percentage from 0.01% to 100%, not '{}'", name,
        text)};
  }
  return value;
}

std::optional<uint32_t> RedundancyOf(const po::variables_map& options) {
  return PercentOf(options, "redundancy");
}

UsageError UnknownValue(std::string_view what, std::string_view value,
                        const std::vector<std::string_view>& names) {
  return {fmt::format(
      "unknown {} '{}'; the {}s are {} and {}", what,
      QuoteName(value, kMaxNameInMessage), what.substr(what.rfind(' ') + 1),
      fmt::join(names.begin(), names.end() - 1, ", "), names.back())};
}

std::optional<int64_t> UnitOf(std::string_view text) {
  constexpr std::string_view kUnits = "kmg";
  if (text.empty()) return 1;
  const size_t unit = kUnits.find(static_cast<char>(text[0] | 0x20));
  if (text.size() != 1 || unit == std::string_view::npos) return std::nullopt;
  return int64_t{1} << (10 * (unit + 1));
}

uint64_t ParseSize(const std::string& text, const char* name) {
  uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  const auto unit = UnitOf({end, last});
  if (error != std::errc() || !unit ||
      value >
          std::numeric_limits<uint64_t>::max() / static_cast<uint64_t>(*unit)) {
    throw UsageError{fmt::format(
        "option '--{}' expects a size like 512k or 8m, not '{}'", name, text)};
  }
  return value * static_cast<uint64_t>(*unit);
}

void SetBytes(Json& object, const std::string& key, std::string_view bytes) {
  std::string text(bytes);
  if (!IsUtf8(text)) {
    std::string hex;
    for (const char c : bytes) {
      hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
    object[key + "_hex"] = hex;
    text = Json::parse(
        Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  object[key] = text;
}

Json PhasesToJson(const std::vector<PhaseTime>& phases) {
  Json rows = Json::array();
  for (const PhaseTime& phase : phases) {
    rows.push_back(
        {{"title", PhaseTitle(phase.phase)}, {"seconds", phase.seconds}});
  }
  return rows;
}

std::string Describe(const MovedOn& moved_on) {
  return fmt::format("{}, {}", Counted(moved_on.refs, "ref"),
                     Counted(moved_on.objects, "object"));
}

Json MovedOnToJson(const MovedOn& moved_on) {
  return {{"refs", moved_on.refs}, {"objects", moved_on.objects}};
}

void WarnOfMissingAlternates(const std::vector<std::string>& directories,
                             std::ostream& err) {
  constexpr size_t kNamed = 10;
  for (const std::string& directory : directories | std::views::take(kNamed)) {
    err << fmt::format(
        "warning: object directory '{}' does not exist; check "
        "objects/info/alternates\n",
        QuoteName(directory));
  }
  if (directories.size() > kNamed) {
    err << fmt::format("warning: {} more object directories do not exist\n",
                       directories.size() - kNamed);
  }
}

Json MissingAlternatesToJson(const std::vector<std::string>& directories) {
  Json rows = Json::array();
  for (const std::string& directory : directories) {
    Json row = Json::object();
    SetBytes(row, "path", directory);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string RefsAndFiles(uint64_t refs, uint64_t files) {
  if (files == 0) return fmt::format(" and {}", Counted(refs, "ref"));
  return fmt::format(", {} and {}", Counted(refs, "ref"),
                     Counted(files, "file"));
}

std::string PromisedText(uint64_t count) {
  return fmt::format("{} {} not in the file", Counted(count, "promised object"),
                     count == 1 ? "is" : "are");
}

std::string LostText(uint64_t count) {
  return fmt::format("{} {} missing when the file was made",
                     Counted(count, "object"), count == 1 ? "was" : "were");
}

Json LossToJson(const ListedLoss& loss) {
  Json row = {{"id", loss.id.ToHex()}, {"type", nullptr}};
  if (loss.type) row["type"] = ObjectTypeName(*loss.type);
  return row;
}

Json LossesToJson(const std::vector<ListedLoss>& losses) {
  Json rows = Json::array();
  for (const ListedLoss& loss : losses) rows.push_back(LossToJson(loss));
  return rows;
}

std::string InactiveHint(const std::vector<std::string>& names) {
  constexpr size_t kNamed = 5;
  std::string list;
  for (const std::string& name : names | std::views::take(kNamed)) {
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", QuoteName(name));
  }
  if (names.size() > kNamed) {
    list += fmt::format(" and {} more", names.size() - kNamed);
  }
  const bool one = names.size() == 1;
  const std::string_view them = one ? "it" : "them";
  return fmt::format(
      "hint: {} end{} in '.archived', so that Git does not use {}; read {} "
      "before you rename {}, or use --trust\n",
      list, one ? "s" : "", them, them, them);
}

Json PromisorRemotesToJson(const std::vector<PromisorRemote>& remotes) {
  Json list = Json::array();
  for (const PromisorRemote& remote : remotes) {
    Json& row = list.emplace_back(Json::object());
    SetBytes(row, "name", remote.name);
    SetBytes(row, "url", WithoutUserinfo(remote.url));
    SetBytes(row, "filter", remote.filter);
  }
  return list;
}

void PrintJson(const Json& document, std::ostream& out) {
  // File names in messages need not be UTF-8.
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

uint64_t PeakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace zpack::cli
