// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <limits>
#include <optional>
#include <ostream>
#include <ranges>
#include <utility>

#include "approximate_date.h"
#include "common_options.h"
#include "counted.h"
#include "git_environment.h"
#include "run_git.h"
#include "zpack/object_filter.h"
#include "zpack/quote.h"
#include "zpack/repack.h"

namespace zpack::cli {
namespace repack_command {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMaxWindow = 4095;                  // as in Git
constexpr uint64_t kMinPackSize = uint64_t{1} << 20;  // the same

void AddOptions(po::options_description& options) {
  options.add_options()("all,a", "pack all reachable objects (always done)")(
      "delete,d",
      "remove packs and loose objects that the new pack makes redundant")(
      "force-deltas,f", "search all deltas again")(
      "force-objects,F", "search all deltas and compress all objects again")(
      "keep-unreachable,k", "also pack unreachable objects")(
      "loosen-unreachable,A",
      "with -d: make unreachable objects of removed packs loose")(
      "unpack-unreachable", po::value<std::string>()->value_name("<when>"),
      "with -A: drop unreachable objects older than this")(
      "delta-islands,i", "respect the delta islands of pack.island")(
      "geometric,g", po::value<std::string>()->value_name("<factor>"),
      "roll up small packs until each pack has this many times the objects of "
      "the next")("cruft", "write unreachable objects to a cruft pack")(
      "cruft-expiration", po::value<std::string>()->value_name("<when>"),
      "with --cruft: drop unreachable objects older than this")(
      "expire-to", po::value<std::string>()->value_name("<prefix>"),
      "with --cruft and -d: write dropped objects to the pack <prefix>-<hash>")(
      "filter",
      po::value<std::vector<std::string>>()->composing()->value_name(
          "<filter>"),
      "put objects that a filter leaves out into a pack of their own")(
      "filter-to", po::value<std::string>()->value_name("<prefix>"),
      "with --filter: write that pack to <prefix>-<hash>")(
      "window", po::value<std::string>()->value_name("<n>"),
      "delta candidates per object; default: pack.window or 20")(
      "depth", po::value<std::string>()->value_name("<n>"),
      "maximum length of a delta chain; default: pack.depth or 50")(
      "level", po::value<std::string>()->value_name("<n>"),
      "libdeflate compression level, 1 to 12; default: 9")(
      "max-pack-size", po::value<std::string>()->value_name("<size>"),
      "split into packs of at most this size; default: pack.packSizeLimit")(
      "write-midx,m", "write a multi-pack-index of the packs that stay")(
      "write-bitmap-index,b", "let git write a multi-pack-index with a bitmap")(
      "no-write-bitmap-index",
      "write no bitmap, not even in a bare repository")(
      "no-update-server-info,n",
      "do not update info/refs and objects/info/packs")(
      "local,l", "do not pack objects that alternates hold")(
      "keep-pack",
      po::value<std::vector<std::string>>()->composing()->value_name("<name>"),
      "do not rewrite this pack; may be given several times")(
      "pack-kept-objects", "also pack objects of packs with a .keep file")(
      "dry-run", "write and verify the pack, then remove it")(
      "output", po::value<std::string>()->value_name("<directory>"),
      "write the pack to this directory, not to the repository");
  AddDiscoveryOption(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

// The value of an option that is a date.
std::optional<int64_t> Date(const po::variables_map& values, const char* name) {
  if (!Has(values, name)) return std::nullopt;
  const std::string text = Text(values, name);
  const auto date = ParseExpiryDate(text, PresentTime());
  if (!date) {
    throw UsageError{fmt::format(
        "malformed expiration date '{}'; known are forms like '2.weeks.ago', "
        "'2024-05-01', 'yesterday' and 'now'",
        QuoteName(text, kMaxNameInMessage))};
  }
  return date;
}

void SetUnreachable(const po::variables_map& values, RepackOptions& options) {
  const bool loosen = Has(values, "loosen-unreachable");
  const bool cruft = Has(values, "cruft");
  if (loosen + cruft + Has(values, "keep-unreachable") > 1) {
    throw UsageError{
        "options '-A', '--cruft' and '--keep-unreachable' cannot be used "
        "together"};
  }
  if (Has(values, "unpack-unreachable") && !loosen) {
    throw UsageError{"option '--unpack-unreachable' needs '-A'"};
  }
  if (Has(values, "cruft-expiration") && !cruft) {
    throw UsageError{"option '--cruft-expiration' needs '--cruft'"};
  }
  if (Has(values, "keep-unreachable")) options.objects = ObjectSet::kAll;
  if (loosen) {
    options.unreachable = Unreachable::kLoosen;
    options.expiration = Date(values, "unpack-unreachable");
  }
  if (cruft) {
    options.unreachable = Unreachable::kCruft;
    options.expiration = Date(values, "cruft-expiration");
  }
  // An expiration of 0 is older than any object.
  if (options.expiration == 0) options.expiration.reset();
}

// A number as Git reads it: decimal, octal or hexadecimal, with a unit.
int32_t GitNumber(const std::string& text, const char* name) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (text.empty()) {
    throw UsageError{
        fmt::format("option '--{}' expects a numerical value", name)};
  }
  errno = 0;
  char* end = nullptr;
  const intmax_t value = std::strtoimax(text.c_str(), &end, 0);
  const bool overflow = errno == ERANGE;
  const auto unit = UnitOf(end);
  if (!overflow && (end == text.c_str() || !unit)) {
    throw UsageError{
        fmt::format("option '--{}' expects an integer value with an optional "
                    "k/m/g suffix",
                    name)};
  }
  if (overflow || value < kLeast / *unit || value > kMost / *unit) {
    throw UsageError{
        fmt::format("value {} for option '--{}' not in range [{},{}]", text,
                    name, kLeast, kMost)};
  }
  return static_cast<int32_t>(value * *unit);
}

void SetGeometric(const po::variables_map& values, RepackOptions& options) {
  if (!Has(values, "geometric")) return;
  options.geometric = GitNumber(Text(values, "geometric"), "geometric");
  if (options.geometric == 0) {
    // To Git, this packs loose objects alone.
    for (const char* const whole :
         {"all", "loosen-unreachable", "cruft", "keep-unreachable"}) {
      if (Has(values, whole)) return;
    }
    throw UsageError{
        "option '--geometric=0' needs '-a' or another option that says what "
        "becomes of objects that nothing reaches"};
  }
  for (const auto& [name, text] :
       {std::pair("all", "-a"), std::pair("loosen-unreachable", "-A"),
        std::pair("cruft", "--cruft")}) {
    if (!Has(values, name)) continue;
    throw UsageError{fmt::format(
        "options '--geometric' and '{}' cannot be used together", text)};
  }
}

// Where packs go that leave the repository, and which objects.
void SetDestinations(const po::variables_map& values, RepackOptions& options) {
  options.expire_to = Text(values, "expire-to");
  options.filter_to = Text(values, "filter-to");
  if (Has(values, "expire-to") &&
      (!Has(values, "cruft") || !Has(values, "delete"))) {
    throw UsageError{"option '--expire-to' needs '--cruft' and '-d'"};
  }
  if (Has(values, "filter-to") && !Has(values, "filter")) {
    throw UsageError{
        "option '--filter-to' can only be used along with '--filter'"};
  }
  if (!Has(values, "filter")) return;
  for (const char* const other :
       {"geometric", "write-bitmap-index", "keep-unreachable",
        "loosen-unreachable", "cruft"}) {
    if (!Has(values, other)) continue;
    throw UsageError{fmt::format(
        "options '--{}' and '--filter' cannot be used together", other)};
  }
  // An object has to pass all filters.
  for (const std::string& text : Texts(values, "filter")) {
    const auto filter = ParseObjectFilter(text);
    if (!filter) throw UsageError{filter.error().message};
    ObjectFilter& all = options.filter;
    all.blob_limit = std::min(all.blob_limit, filter->blob_limit);
    all.tree_depth = std::min(all.tree_depth, filter->tree_depth);
    all.types &= filter->types;
  }
}

void SetBitmap(const po::variables_map& values, RepackOptions& options) {
  const bool yes = Has(values, "write-bitmap-index");
  const bool no = Has(values, "no-write-bitmap-index");
  if (yes && no) {
    throw UsageError{
        "options '--write-bitmap-index' and '--no-write-bitmap-index' cannot "
        "be used together"};
  }
  if (yes) options.bitmap = Bitmap::kYes;
  if (no) options.bitmap = Bitmap::kNo;
}

RepackOptions ToOptions(const po::variables_map& values,
                        const RunContext& context) {
  RepackOptions options;
  options.run = context.run();
  options.discovery = DiscoveryOf(values);
  if (Has(values, "window")) {
    options.window =
        static_cast<unsigned>(Number(values, "window", 0, kMaxWindow, 0));
  }
  if (Has(values, "depth")) {
    options.depth =
        static_cast<unsigned>(Number(values, "depth", 0, kMaxWindow, 0));
  }
  options.level =
      static_cast<int>(Number(values, "level", 1, 12, options.level));
  if (Has(values, "force-deltas")) options.reuse = PackReuse::kObjects;
  if (Has(values, "force-objects")) options.reuse = PackReuse::kNothing;
  SetUnreachable(values, options);
  SetGeometric(values, options);
  SetDestinations(values, options);
  if (Has(values, "delete")) options.redundant = Redundant::kRemove;
  options.keep_packs = Texts(values, "keep-pack");
  if (Has(values, "pack-kept-objects")) {
    options.kept_objects = KeptObjects::kPack;
  }
  if (Has(values, "no-update-server-info")) {
    options.server_info = ServerInfo::kLeave;
  }
  if (Has(values, "delta-islands")) options.islands = Islands::kRespect;
  if (Has(values, "local")) options.borrowed = Borrowed::kLeave;
  if (Has(values, "dry-run")) options.publication = Publication::kNo;
  if (Has(values, "max-pack-size")) {
    options.max_pack_size =
        ParseSize(Text(values, "max-pack-size"), "max-pack-size");
  }
  options.output_directory = Text(values, "output");
  SetBitmap(values, options);
  if (Has(values, "write-midx")) {
    options.multi_pack_index = MultiPackIndex::kWrite;
  }
  for (const char* const name :
       {"write-bitmap-index", "write-midx", "delete"}) {
    if (!Has(values, name) ||
        (!Has(values, "output") && !Has(values, "dry-run")))
      continue;
    throw UsageError{fmt::format(
        "options '--{}' and '--output' or '--dry-run' cannot be used together",
        name)};
  }
  return options;
}

Json ToJson(const RepackStats& stats) {
  Json unreadable = Json::array();
  for (const ObjectId& id : stats.unreadable) unreadable.push_back(id.ToHex());
  Json lost = Json::array();
  for (const LostObject& object : stats.lost) {
    Json& item = lost.emplace_back();
    item["id"] = object.id.ToHex();
    SetBytes(item, "needed_by", object.root);
  }
  Json json;
  SetBytes(json, "git_directory", stats.common_directory);
  json.update({{"packs", stats.names},
               {"kept_pack", stats.kept_pack},
               {"objects", stats.objects},
               {"pack_bytes", stats.pack_bytes},
               {"source_pack_bytes", stats.source_bytes},
               {"borrowed_objects", stats.borrowed_objects},
               {"cruft_packs", stats.cruft_names},
               {"cruft_objects", stats.cruft_objects},
               {"loosened_objects", stats.loosened_objects},
               {"filtered_objects", stats.filtered_objects},
               {"expired_objects", stats.expired_objects},
               {"removed_packs", stats.removed_packs},
               {"removed_loose_objects", stats.removed_loose},
               {"needed_again", stats.needed_again},
               {"missing_alternates",
                MissingAlternatesToJson(stats.missing_alternates)},
               {"missing_objects", std::move(lost)},
               {"packs_with_unreachable", stats.packs_with_unreachable},
               {"unreadable_objects", std::move(unreadable)},
               {"phases", PhasesToJson(stats.phases)},
               {"peak_rss_bytes", PeakResidentBytes()}});
  return json;
}

// Says what makes a pack smaller that is not smaller than those before it.
void HintAtForce(const RepackStats& stats, const RepackOptions& options,
                 std::ostream& err) {
  if (stats.objects == 0 || !stats.kept_pack.empty() ||
      stats.source_bytes == 0 || stats.pack_bytes < stats.source_bytes ||
      options.reuse == PackReuse::kNothing) {
    return;
  }
  err << "hint: the new pack is not smaller; -F searches all deltas and "
         "compresses all objects again, which takes longer\n";
}

void PrintSummary(const RepackStats& stats, std::ostream& err) {
  const std::string directory = QuoteName(stats.common_directory);
  if (stats.objects == 0) {
    err << fmt::format("Nothing new to pack in '{}'.\n", directory);
  } else if (!stats.kept_pack.empty()) {
    err << fmt::format(
        "The pack of {} in '{}' stays, verified; a new one of its {} would be "
        "larger.\n",
        HumanSize(stats.pack_bytes), directory,
        Counted(stats.objects, "object"));
  } else {
    err << fmt::format(
        "Packed {} into {}, verified; the packs of '{}' took {} before.\n",
        Counted(stats.objects, "object"), HumanSize(stats.pack_bytes),
        directory, HumanSize(stats.source_bytes));
  }
  if (stats.cruft_objects != 0) {
    err << fmt::format("{} {} in a cruft pack.\n",
                       Counted(stats.cruft_objects, "unreachable object"),
                       stats.cruft_objects == 1 ? "is" : "are");
  }
  if (stats.filtered_objects != 0) {
    err << fmt::format("{} {} in a pack of {} own.\n",
                       Counted(stats.filtered_objects, "filtered object"),
                       stats.filtered_objects == 1 ? "is" : "are",
                       stats.filtered_objects == 1 ? "its" : "their");
  }
  if (stats.expired_objects != 0) {
    err << fmt::format("{} went to another place.\n",
                       Counted(stats.expired_objects, "expired object"));
  }
  if (stats.loosened_objects != 0) {
    err << fmt::format("{} {} loose now.\n",
                       Counted(stats.loosened_objects, "unreachable object"),
                       stats.loosened_objects == 1 ? "is" : "are");
  }
  if (stats.removed_packs != 0 || stats.removed_loose != 0) {
    err << fmt::format("Removed {} and {}.\n",
                       Counted(stats.removed_packs, "pack"),
                       Counted(stats.removed_loose, "loose object"));
  }
}

// Runs Git to write a multi-pack-index with a bitmap.
Status WriteBitmap(const MultiPackIndexRequest& request,
                   std::optional<Bitmap> bitmap, const Io& io) {
  std::string packs;
  for (const std::string& name : request.packs) packs += name + ".idx\n";
  // Git syncs both files before it gives them their names and removes older
  // ones, whatever the configuration says.
  std::vector<std::string> words = {"--git-dir=" + request.common_directory,
                                    "-c",
                                    "core.fsync=pack-metadata",
                                    "-c",
                                    "core.fsyncMethod=fsync",
                                    "multi-pack-index",
                                    "write",
                                    "--bitmap",
                                    "--stdin-packs",
                                    "--no-progress"};
  if (!request.preferred.empty()) {
    words.push_back("--preferred-pack=" + request.preferred + ".pack");
  }
  const int code = RunGitWithInput(words, packs, io.stop);
  if (code == 0) return {};
  if (io.stop.stop_requested()) {
    return std::unexpected(Error{ErrorCode::kInterrupted, "interrupted"});
  }
  const std::string failure = fmt::format(
      "'git multi-pack-index write --bitmap' failed with {}; the new packs are "
      "in place",
      code);
  return std::unexpected(
      Error{ErrorCode::kGit, bitmap == Bitmap::kYes
                                 ? failure + ", and nothing was removed"
                                 : failure});
}

// Warns of what is missing, and of packs that stay for that reason.
void WarnOfMissing(const RepackStats& stats, std::ostream& err) {
  WarnOfMissingAlternates(stats.missing_alternates, err);
  constexpr size_t kNamed = 10;
  for (const LostObject& object : stats.lost | std::views::take(kNamed)) {
    err << fmt::format("warning: object {} is missing", object.id.ToHex());
    if (!object.root.empty()) {
      err << fmt::format(", which '{}' needs", QuoteName(object.root));
    }
    err << '\n';
  }
  if (stats.lost.size() > kNamed) {
    err << fmt::format("warning: {} more missing\n",
                       Counted(stats.lost.size() - kNamed, "object"));
  }
  const uint64_t staying = stats.packs_with_unreachable;
  if (staying == 0) return;
  err << fmt::format(
      "warning: {} with unreachable objects stay{} while {} missing\n",
      Counted(staying, "pack"), staying == 1 ? "s" : "",
      stats.missing_alternates.empty() ? "objects are" : "an alternate is");
}

int Run(const po::variables_map& values, const Io& io) {
  RefuseOtherRefs();
  RefuseOtherPlaces(Text(values, "repository"), DiscoveryOf(values));
  const RunContext context(values, io, {}, LeastMemoryToRepack());
  RepackOptions options = ToOptions(values, context);
  if (options.max_pack_size.value_or(0) != 0 &&
      *options.max_pack_size < kMinPackSize) {
    io.err << "warning: minimum pack size limit is 1 MiB\n";
    options.max_pack_size = kMinPackSize;
  }
  options.write_multi_pack_index = [&](const MultiPackIndexRequest& request) {
    return WriteBitmap(request, options.bitmap, io);
  };
  const auto stats = Repack(Text(values, "repository"), options);
  if (!stats) return Fail(io, stats.error());
  for (const ObjectId& id : stats->unreadable) {
    io.err << fmt::format(
        "warning: loose object {} could not be examined; it stays as it is\n",
        id.ToHex());
  }
  WarnOfMissing(*stats, io.err);
  if (!stats->needed_again.empty()) {
    io.err << fmt::format(
        "warning: object {} became reachable meanwhile; the old packs stay. "
        "Run "
        "it again to remove them.\n",
        stats->needed_again);
  }
  for (const std::string& warning : stats->warnings) {
    io.err << fmt::format("warning: {}\n", warning);
  }
  if (Has(values, "json")) {
    PrintJson(ToJson(*stats), io.out);
  } else if (!context.quiet()) {
    PrintSummary(*stats, io.err);
    HintAtForce(*stats, options, io.err);
  }
  if (options.bitmap == Bitmap::kYes && stats->leaves_to_alternates) {
    io.err << "warning: disabling bitmap writing, as some objects are not "
              "being packed\n";
  }
  return kDone;
}

}  // namespace
}  // namespace repack_command

const Command kRepackCommand = {
    "repack",
    "Rewrite the packs of a Git repository as one smaller pack",
    "[-d] [-k] [<options>] <repository>",
    {"repository"},
    0,
    LastArgument::kOnce,
    {},
    true,
    repack_command::AddOptions,
    repack_command::Run,
    {},
    true};

}  // namespace zpack::cli
