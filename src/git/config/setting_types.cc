// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/setting_types.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"
#include "base/error.h"
#include "git/config/configuration_values.h"

namespace zpack {
namespace {

enum class SettingType : uint8_t {
  kBool,
  kInt,       // 32 bits
  kUnsigned,  // 63 bits
  kLevel,     // of zlib, -1 to 9
  kAbbreviation,
  kThreads,
  kIndexVersion,
  kText,
  kComment,  // a text of one line that is not empty
  kPath,
  kWord,        // one of `words`
  kBoolOrWord,  // boolean, or one of `words`
};

struct Setting {
  std::string_view name;  // in lower case
  SettingType type;
  std::string_view words = {};  // separated by spaces, in lower case
};

using enum SettingType;

// In the order of their names.
constexpr std::array kSettings = std::to_array<Setting>({
    {"attr.tree", kText},
    {"author.email", kText},
    {"author.name", kText},
    {"branch.autosetupmerge", kBoolOrWord, "always inherit simple"},
    {"branch.autosetuprebase", kWord, "never local remote always"},
    {"commitgraph.changedpathsversion", kInt},
    {"commitgraph.generationversion", kInt},
    {"commitgraph.readchangedpaths", kBool},
    {"committer.email", kText},
    {"committer.name", kText},
    {"core.abbrev", kAbbreviation},
    {"core.askpass", kText},
    {"core.attributesfile", kPath},
    {"core.autocrlf", kBoolOrWord, "input"},
    {"core.bare", kBool},
    {"core.bigfilethreshold", kUnsigned},
    {"core.checkroundtripencoding", kText},
    {"core.checkstat", kText},
    {"core.commentchar", kComment},
    {"core.commentstring", kComment},
    {"core.commitgraph", kBool},
    {"core.compression", kLevel},
    {"core.createobject", kWord, "rename link"},
    {"core.deltabasecachelimit", kUnsigned},
    {"core.disambiguate", kWord, "none commit committish tree treeish blob"},
    {"core.editor", kText},
    {"core.excludesfile", kPath},
    {"core.filemode", kBool},
    {"core.fsync", kText},
    {"core.fsyncmethod", kText},
    {"core.fsyncobjectfiles", kBool},
    {"core.ignorecase", kBool},
    {"core.ignorestat", kBool},
    {"core.lockfilepid", kBool},
    {"core.logallrefupdates", kBoolOrWord, "always"},
    {"core.loosecompression", kLevel},
    {"core.maxtreedepth", kInt},
    {"core.multipackindex", kBool},
    {"core.packedgitlimit", kUnsigned},
    {"core.packedgitwindowsize", kUnsigned},
    {"core.precomposeunicode", kBool},
    {"core.prefersymlinkrefs", kBool},
    {"core.preloadindex", kBool},
    {"core.protecthfs", kBool},
    {"core.protectntfs", kBool},
    {"core.quotepath", kBool},
    {"core.safecrlf", kBoolOrWord, "warn"},
    {"core.sparsecheckout", kBool},
    {"core.sparsecheckoutcone", kBool},
    {"core.symlinks", kBool},
    {"core.trustctime", kBool},
    {"core.untrackedcache", kText},
    {"core.usereplacerefs", kBool},
    {"core.warnambiguousrefs", kBool},
    {"core.whitespace", kText},
    {"feature.experimental", kBool},
    {"feature.manyfiles", kBool},
    {"fetch.negotiationalgorithm", kWord, "skipping noop consecutive default"},
    {"fetch.writecommitgraph", kBool},
    {"gc.writecommitgraph", kBool},
    {"i18n.commitencoding", kText},
    {"i18n.logoutputencoding", kText},
    {"index.skiphash", kBool},
    {"index.sparse", kBool},
    {"index.version", kInt},
    {"pack.allowpackreuse", kBoolOrWord, "single multi"},
    {"pack.compression", kLevel},
    {"pack.deltacachelimit", kInt},
    {"pack.deltacachesize", kInt},
    {"pack.depth", kInt},
    {"pack.indexversion", kIndexVersion},
    {"pack.packsizelimit", kUnsigned},
    {"pack.preferbitmaptips", kText},
    {"pack.readreverseindex", kBool},
    {"pack.threads", kThreads},
    {"pack.usebitmapboundarytraversal", kBool},
    {"pack.usebitmaps", kBool},
    {"pack.usepathwalk", kBool},
    {"pack.usesparse", kBool},
    {"pack.window", kInt},
    {"pack.windowmemory", kUnsigned},
    {"pack.writebitmaphashcache", kBool},
    {"pack.writebitmaplookuptable", kBool},
    {"pack.writebitmaps", kBool},
    {"pack.writereverseindex", kBool},
    {"push.default", kWord,
     "nothing matching simple upstream tracking current"},
    {"repack.cruftdepth", kText},
    {"repack.cruftthreads", kText},
    {"repack.cruftwindow", kText},
    {"repack.cruftwindowmemory", kText},
    {"repack.midxmustcontaincruft", kBool},
    {"repack.midxnewlayerthreshold", kInt},
    {"repack.midxsplitfactor", kInt},
    {"repack.packkeptobjects", kBool},
    {"repack.updateserverinfo", kBool},
    {"repack.usedeltabaseoffset", kBool},
    {"repack.usedeltaislands", kBool},
    {"repack.writebitmaps", kBool},
    {"user.email", kText},
    {"user.name", kText},
    {"user.useconfigonly", kBool},
});
static_assert(std::ranges::is_sorted(kSettings, {}, &Setting::name));

bool IsWord(std::string_view value, std::string_view words) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (EqualsIgnoringCase(value, words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

Status CheckWord(const ConfigEntry& entry, const Setting& setting) {
  if (entry.value && IsWord(*entry.value, setting.words)) return {};
  if (setting.type == kWord) return BadValue(entry);
  ZPACK_TRY(BoolOf(entry));
  return {};
}

// A number in [least, most].
Status CheckRange(const ConfigEntry& entry, int64_t least, int64_t most) {
  ZPACK_ASSIGN_OR_RETURN(const int64_t value, NumberOf(entry, kMaxConfigInt));
  if (value >= least && value <= most) return {};
  return BadValue(entry);
}

Status CheckUnsigned(const ConfigEntry& entry) {
  ZPACK_ASSIGN_OR_RETURN(const int64_t value, NumberOf(entry));
  if (value >= 0) return {};
  return BadNumber(entry, "invalid unit");
}

Status CheckAbbreviation(const ConfigEntry& entry) {
  constexpr int64_t kLeast = 4;
  if (!entry.value) return BadValue(entry);
  if (entry.value->empty() || IsWord(*entry.value, "auto no off false")) {
    return {};
  }
  return CheckRange(entry, kLeast, kMaxConfigInt);
}

Status CheckText(const ConfigEntry& entry, SettingType type) {
  if (!entry.value) return BadValue(entry);
  if (type == kComment &&
      (entry.value->empty() || entry.value->find('\n') != std::string::npos)) {
    return BadValue(entry);
  }
  if (type == kPath && !ExpandConfigPath(*entry.value)) {
    return MakeError(ErrorCode::kGit, "failed to expand user dir in: '{}'",
                     *entry.value);
  }
  return {};
}

Status Check(const ConfigEntry& entry, const Setting& setting) {
  constexpr int64_t kBestLevel = 9;
  constexpr int64_t kLastIndexVersion = 2;
  switch (setting.type) {
    case kBool:
      ZPACK_TRY(BoolOf(entry));
      break;
    case kInt:
      ZPACK_TRY(NumberOf(entry, kMaxConfigInt));
      break;
    case kUnsigned:
      return CheckUnsigned(entry);
    case kLevel:
      return CheckRange(entry, -1, kBestLevel);
    case kAbbreviation:
      return CheckAbbreviation(entry);
    case kThreads:
      return CheckRange(entry, 0, kMaxConfigInt);
    case kIndexVersion:
      return CheckRange(entry, 0, kLastIndexVersion);
    case kText:
    case kComment:
    case kPath:
      return CheckText(entry, setting.type);
    case kWord:
    case kBoolOrWord:
      return CheckWord(entry, setting);
  }
  return {};
}

}  // namespace

Status CheckRepackSettings(const Configuration& config) {
  for (const ConfigEntry& entry : config.entries()) {
    const auto* const setting =
        std::ranges::lower_bound(kSettings, entry.name, {}, &Setting::name);
    if (setting == kSettings.end() || setting->name != entry.name) continue;
    ZPACK_TRY(Check(entry, *setting));
  }
  return {};
}

}  // namespace zpack
