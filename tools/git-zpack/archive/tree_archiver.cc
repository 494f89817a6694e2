// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/tree_archiver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "archive/unsafe_name.h"
#include "common_options.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr uint64_t kMaxWaitingBytes = uint64_t{64} << 20;
constexpr size_t kMaxWaiting = size_t{1} << 16;
// Reading ahead loads the whole index.
constexpr size_t kMinReadAhead = 16;
// A larger target of a link is an error: the target is held in memory.
constexpr uint64_t kMaxTarget = uint64_t{1} << 20;
// Larger ones are taken to have attributes that matter.
constexpr uint64_t kMaxAttributes = uint64_t{1} << 20;

// Attributes that change what git-archive(1) writes.
constexpr std::array<std::string_view, 6> kAttributes = {
    "export-ignore", "export-subst", "eol=crlf",
    "ident",         "filter=",      "working-tree-encoding"};

}  // namespace

Status TreeArchiver::Write(const ObjectId& tree) {
  if (prefix_.ends_with('/')) {
    const size_t end = prefix_.find_last_not_of('/');
    const size_t size = end == std::string::npos ? 1 : end + 2;
    writer_.Add({.path = prefix_.substr(0, size), .mode = 0040000, .id = tree});
  }
  const Status walked =
      WalkTree(reader_, tree, [&](const TreeItem& item, std::string_view base) {
        return Take(item, base);
      });
  return walked ? Flush() : walked;
}

Status TreeArchiver::CheckStop() const {
  if (!stop_.stop_requested()) return {};
  return std::unexpected(Error{ErrorCode::kInterrupted, "interrupted"});
}

Status TreeArchiver::CheckPaths(const ObjectId& tree) const {
  std::vector<bool> found(paths_.paths().size(), false);
  if (found.empty()) return {};
  const Status walked = WalkTree(
      reader_, tree,
      [&](const TreeItem& item, std::string_view base) -> Result<Descend> {
        const bool leads = item.is_tree() && paths_.LeadsInto(item, base);
        const std::string path = fmt::format("{}{}", base, item.name);
        for (size_t i = 0; i < found.size(); ++i) {
          const bool whole =
              !item.is_tree() || path.size() >= paths_.paths()[i].size();
          if (whole && paths_.Passes(i, item, base)) found[i] = true;
        }
        return leads ? Descend::kEnter : Descend::kSkip;
      });
  if (!walked) return walked;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i]) continue;
    const std::string& path = paths_.paths()[i];
    return std::unexpected(Error{
        ErrorCode::kNotFound,
        fmt::format("pathspec '{}' did not match any files",
                    QuoteName(path.empty() ? "." : path, kMaxNameInMessage))});
  }
  return {};
}

Result<Descend> TreeArchiver::Take(const TreeItem& item,
                                   std::string_view base) {
  if (IsUnsafeName(item.name, item.is_link())) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument,
              fmt::format("invalid path '{}'",
                          QuoteName(fmt::format("{}{}", base, item.name),
                                    kMaxNameInMessage))});
  }
  // It counts for the files beside it, also if it is not written itself.
  if (item.name == ".gitattributes" && item.type() == ObjectType::kBlob &&
      !item.is_link()) {
    const Status noted = NoteAttributes(item, base);
    if (!noted) return std::unexpected(noted.error());
  }
  if (!paths_.Passes(item, base)) return Descend::kSkip;
  std::string path = fmt::format("{}{}{}", prefix_, base, item.name);
  // Directories in which nothing was found.
  while (!empty_.empty() && !path.starts_with(empty_.back().path)) {
    empty_.pop_back();
  }
  if (item.is_tree()) {
    path += '/';
    empty_.push_back(
        {.path = std::move(path), .mode = item.mode, .id = item.id});
    return Descend::kEnter;
  }
  std::ranges::move(empty_, std::back_inserter(waiting_));
  empty_.clear();
  const Status added = AddFile(item, std::move(path));
  if (!added) return std::unexpected(added.error());
  return Descend::kSkip;
}

Status TreeArchiver::AddFile(const TreeItem& item, std::string path) {
  TarEntry entry{
      .path = std::move(path), .mode = item.mode, .id = item.id, .size = 0};
  if (item.is_submodule()) {
    entry.path += '/';
  } else {
    const auto info = reader_.ReadInfo(item.id);
    if (!info) return std::unexpected(info.error());
    entry.size = info->size;
  }
  const uint64_t size = entry.size;
  // An object above the limit waits for nothing, and is not read ahead.
  if (size > kMaxWaitingBytes || waiting_bytes_ + size > kMaxWaitingBytes ||
      waiting_.size() >= kMaxWaiting) {
    if (Status flushed = Flush(); !flushed) return flushed;
  }
  waiting_.push_back(std::move(entry));
  if (size > kMaxWaitingBytes) return Flush();
  waiting_bytes_ += size;
  return {};
}

Status TreeArchiver::Flush() {
  std::vector<ObjectId> ids;
  for (const TarEntry& entry : waiting_) {
    const bool has_content = entry.mode != 0040000 && entry.mode != 0160000;
    if (has_content && entry.size <= kMaxWaitingBytes) ids.push_back(entry.id);
  }
  if (ids.size() >= kMinReadAhead) {
    if (Status read = reader_.ReadAhead(ids); !read) return read;
  }
  for (TarEntry& entry : waiting_) {
    if (Status stopped = CheckStop(); !stopped) return stopped;
    if (Status written = WriteFile(entry); !written) return written;
  }
  waiting_.clear();
  waiting_bytes_ = 0;
  return {};
}

Status TreeArchiver::WriteFile(TarEntry& entry) {
  if (entry.mode == 0120000) {
    if (entry.size > kMaxTarget) {
      return std::unexpected(
          Error{ErrorCode::kLimitExceeded,
                fmt::format("link {} has a target of {} bytes",
                            entry.id.ToHex(), entry.size)});
    }
    const auto target = reader_.Read(entry.id);
    if (!target) return std::unexpected(target.error());
    entry.target.assign(target->content.begin(), target->content.end());
  }
  writer_.Add(entry);
  if (entry.mode != 0100644 && entry.mode != 0100755) return {};
  const Status streamed = reader_.Stream(
      entry.id, [&](std::span<const uint8_t> piece) -> Result<Visit> {
        const Status stopped = CheckStop();
        return GoOn(stopped ? writer_.Write(piece) : stopped);
      });
  return streamed ? writer_.EndFile() : streamed;
}

Status TreeArchiver::NoteAttributes(const TreeItem& item,
                                    std::string_view base) {
  const auto info = reader_.ReadInfo(item.id);
  if (!info) {
    // A file of a partial clone may lack it.
    if (info.error().code == ErrorCode::kNotFound) return {};
    return std::unexpected(info.error());
  }
  bool matters = info->size > kMaxAttributes;
  if (!matters) {
    const auto file = reader_.Read(item.id);
    if (!file) return std::unexpected(file.error());
    const std::string_view text(
        reinterpret_cast<const char*>(file->content.data()),
        file->content.size());
    matters = std::ranges::any_of(kAttributes, [&](std::string_view attribute) {
      return text.find(attribute) != std::string_view::npos;
    });
  }
  if (matters) {
    ignored_attributes_.push_back(fmt::format("{}{}", base, item.name));
  }
  return {};
}

}  // namespace zpack::cli
