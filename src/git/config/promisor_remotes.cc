// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/promisor_remotes.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "git/config/configuration_text.h"
#include "git/objects/pack_directory.h"
#include "zpack/quote.h"

namespace zpack {
namespace {

// A remote, as far as its entries have been read.
struct ConfiguredRemote {
  PromisorRemote remote;
  bool promisor = false;
};

// Takes the entries of the configuration, from the lowest to the highest level.
class RemoteReader {
 public:
  Status Take(const ConfigEntry& entry) {
    std::string_view name = entry.name;
    const std::string_view value =
        entry.value ? std::string_view(*entry.value) : "";
    if (name == "extensions.partialclone") {
      last_ = value;
      return {};
    }
    if (!SkipPrefix("remote.", name)) return {};
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return {};
    const std::string_view key = name.substr(dot + 1);
    name = name.substr(0, dot);
    if (key == "promisor") {
      // One that is false takes nothing back, in Git as well.
      ZPACK_ASSIGN_OR_RETURN(const bool promisor, BoolOf(entry));
      if (promisor) Promise(name);
    } else if (key == "partialclonefilter") {
      Promise(name).filter = value;
    } else if (key == "url") {
      // Git fetches from the first of several URLs. An empty one makes Git from
      // 2.46 on forget those before it.
      std::string& url = Remote(name).remote.url;
      if (value.empty() || url.empty()) url = value;
    }
    return {};
  }

  PromisorRemotes Finish() {
    // Git asks the remote of extensions.partialClone last.
    if (!last_.empty()) {
      Promise(last_);
      MoveToEnd(last_);
    }
    PromisorRemotes found;
    for (ConfiguredRemote& each : remotes_) {
      if (each.promisor) Add(std::move(each.remote), found);
    }
    return found;
  }

 private:
  static void Add(PromisorRemote remote, PromisorRemotes& found) {
    std::string url = WithoutUserinfo(remote.url);
    if (url != remote.url) {
      found.left_out.push_back(FormatMessage(
          "the credentials in the URL of remote '{}'", remote.name));
      remote.url = std::move(url);
    }
    if (!IsValidRemoteName(remote.name) || !IsValidRemoteValue(remote.url) ||
        !IsValidRemoteValue(remote.filter) ||
        found.remotes.size() == kMaxPromisorRemotes) {
      found.left_out.push_back(
          FormatMessage("the promisor remote '{}'", remote.name));
      return;
    }
    found.remotes.push_back(std::move(remote));
  }

  std::vector<ConfiguredRemote>::iterator Find(std::string_view name) {
    return std::ranges::find(
        remotes_, name, [](const ConfiguredRemote& each) -> const std::string& {
          return each.remote.name;
        });
  }

  // Makes the remote a promisor, after those that are promisors already.
  PromisorRemote& Promise(std::string_view name) {
    ConfiguredRemote& found = Remote(name);
    if (found.promisor) return found.remote;
    found.promisor = true;
    MoveToEnd(name);
    return remotes_.back().remote;
  }

  void MoveToEnd(std::string_view name) {
    const auto at = Find(name);
    std::rotate(at, at + 1, remotes_.end());
  }

  ConfiguredRemote& Remote(std::string_view name) {
    const auto at = Find(name);
    if (at != remotes_.end()) return *at;
    return remotes_.emplace_back(
        ConfiguredRemote{{std::string(name), "", ""}, false});
  }

  // Promisors in the order in which Git finds them to be such.
  std::vector<ConfiguredRemote> remotes_;
  std::string last_;
};

}  // namespace

Result<PromisorRemotes> ReadPromisorRemotes(const Configuration& config) {
  RemoteReader reader;
  for (const ConfigEntry& entry : config.entries()) {
    ZPACK_TRY(reader.Take(entry));
  }
  return reader.Finish();
}

Result<ObjectIdTable> ListPromisorPacks(
    ObjectFormat format, const std::vector<std::string>& object_directories) {
  std::vector<ObjectIdTable> tables;
  for (const std::string& directory : object_directories) {
    ZPACK_ASSIGN_OR_RETURN(const auto files, ListPackFiles(directory));
    for (const std::string& name : PacksAmong(directory, files)) {
      if (!files.contains(name + ".promisor")) continue;
      auto ids = ReadPackIds(format, PosixFileSystem(), directory, name);
      if (ids) {
        tables.push_back(*std::move(ids));
      } else if (ids.error().code != ErrorCode::kNotFound) {
        return std::unexpected(std::move(ids).error());
      }
    }
  }
  return ObjectIdTable::Merge(format, tables);
}

std::string PartialCloneExtension(const std::vector<PromisorRemote>& remotes) {
  std::string text;
  AppendEntry("partialClone", remotes.back().name.c_str(), text);
  return text;
}

Result<std::string> MissingRemoteSettings(
    const std::string& path, const std::vector<PromisorRemote>& remotes) {
  ZPACK_ASSIGN_OR_RETURN(const Configuration present,
                         ReadConfigurationFile(path));
  std::string text;
  for (const PromisorRemote& remote : remotes) {
    const auto find = [&](std::string_view key) {
      return present.Find(fmt::format("remote.{}.{}", remote.name, key));
    };
    const auto is_set = [&](std::string_view key, std::string_view value) {
      const ConfigEntry* const set = find(key);
      return set != nullptr && set->value == value;
    };
    std::string settings;
    // A second URL would be one more to push to.
    if (!remote.url.empty() && find("url") == nullptr) {
      AppendEntry("url", remote.url.c_str(), settings);
    }
    if (!is_set("promisor", "true")) settings += "\tpromisor = true\n";
    if (!remote.filter.empty() &&
        !is_set("partialclonefilter", remote.filter)) {
      AppendEntry("partialclonefilter", remote.filter.c_str(), settings);
    }
    if (settings.empty()) continue;
    AppendSection("remote", remote.name, text);
    text += settings;
  }
  return text;
}

}  // namespace zpack
