// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/restore/restored_reftable.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "git/files/directory_listing.h"
#include "git/refs/reflog_line.h"
#include "git/refs/reverse_lines.h"
#include "reftable/stack_writer.h"

namespace zpack {
namespace {

// Git's block size, and one that holds a symbolic ref with the longest names.
constexpr uint32_t kUsualBlockSize = 4096;
constexpr uint32_t kLargeBlockSize = 16384;
// Bytes of the names in a record that always fit in a block of the usual size.
constexpr size_t kUsualNames = 1900;
constexpr size_t kCountedPiece = 64 << 10;
// As in Git, which cuts longer messages off. Git cannot compact a stack with an
// entry that is larger than a block.
constexpr size_t kMaxLogMessage = kUsualBlockSize / 2;
// Less than the largest block.
constexpr size_t kMaxReflogLine = 8 << 20;

uint32_t BlockSizeFor(const WorktreeRefs& content) {
  size_t longest = 0;
  for (const Ref& ref : content.refs) {
    longest = std::max(longest, ref.name.size() + ref.symref_target.size());
  }
  for (const auto& name : content.logs) {
    longest = std::max(longest, name.size());
  }
  return longest <= kUsualNames ? kUsualBlockSize : kLargeBlockSize;
}

Result<uint64_t> CountLines(const RandomAccessFile& file) {
  uint64_t count = 0;
  Bytes piece;
  for (uint64_t at = 0; at < file.size(); at += piece.size()) {
    piece.resize(std::min<uint64_t>(kCountedPiece, file.size() - at));
    ZPACK_TRY(file.Read(at, piece));
    count += static_cast<uint64_t>(std::ranges::count(piece, uint8_t{'\n'}));
  }
  return count;
}

class ReftableMaker {
 public:
  ReftableMaker(FileSystem& file_system, const std::string& directory,
                ObjectFormat format)
      : file_system_(file_system), directory_(directory), format_(format) {}

  Status Make(const WorktreeRefs& content);

 private:
  Status MakeStack(const WorktreeRefs& content);
  Status MakeDirectory(const std::string& name);
  Status WriteStub(const std::string& name, std::string_view text);
  Result<std::unique_ptr<RandomAccessFile>> OpenLog(const std::string& name) {
    return file_system_.OpenForRead(directory_ + "/logs/" + name);
  }
  // Lines of the longest reflog.
  Result<uint64_t> LongestLog(const std::set<std::string>& names);
  static Status AddRefs(const WorktreeRefs& content,
                        reftable::TableWriter& table);
  Status AddLog(const std::string& name, reftable::TableWriter& table);

  FileSystem& file_system_;
  const std::string& directory_;
  ObjectFormat format_;
};

Status ReftableMaker::Make(const WorktreeRefs& content) {
  ZPACK_TRY(MakeDirectory("reftable"));
  Status made = MakeStack(content);
  if (!made) {
    // The stack is in place before the repository is.
    if (made.error().code == ErrorCode::kNotDurable) {
      made.error().code = ErrorCode::kIo;
    }
    return made;
  }
  ZPACK_TRY(file_system_.RemoveTree(directory_ + "/logs"));
  ZPACK_TRY(MakeDirectory("refs"));
  ZPACK_TRY(
      WriteStub("refs/heads", "this repository uses the reftable format\n"));
  return WriteStub("HEAD", "ref: refs/heads/.invalid\n");
}

Status ReftableMaker::MakeStack(const WorktreeRefs& content) {
  ZPACK_ASSIGN_OR_RETURN(const uint64_t longest, LongestLog(content.logs));
  const reftable::TableOptions options{
      .format = format_,
      .max_update_index = std::max<uint64_t>(longest, 1),
      .block_size = BlockSizeFor(content)};
  ZPACK_ASSIGN_OR_RETURN(auto stack,
                         reftable::StackWriter::Create(
                             file_system_, directory_ + "/reftable", options));
  ZPACK_TRY(AddRefs(content, stack.table()));
  for (const auto& name : content.logs) ZPACK_TRY(AddLog(name, stack.table()));
  return stack.Commit();
}

Status ReftableMaker::MakeDirectory(const std::string& name) {
  return file_system_.MakeDirectory(directory_ + '/' + name, 0777);
}

Status ReftableMaker::WriteStub(const std::string& name,
                                std::string_view text) {
  const std::string path = directory_ + '/' + name;
  ZPACK_TRY(RemoveIfThere(file_system_, path));
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system_.Create(path));
  return file->Append(AsBytes(text));
}

Result<uint64_t> ReftableMaker::LongestLog(const std::set<std::string>& names) {
  uint64_t longest = 0;
  for (const std::string& name : names) {
    ZPACK_ASSIGN_OR_RETURN(const auto file, OpenLog(name));
    ZPACK_ASSIGN_OR_RETURN(const uint64_t lines, CountLines(*file));
    longest = std::max(longest, lines);
  }
  return longest;
}

Status ReftableMaker::AddRefs(const WorktreeRefs& content,
                              reftable::TableWriter& table) {
  // HEAD comes before all names that begin with 'refs/'.
  if (content.head) {
    ZPACK_TRY(table.Add(
        reftable::RefRecord{.ref = *content.head, .update_index = 1}));
  }
  for (const Ref& ref : content.refs) {
    ZPACK_TRY(table.Add(reftable::RefRecord{.ref = ref, .update_index = 1}));
  }
  return {};
}

// As in Git, the entries of a reflog are numbered from 1.
Status ReftableMaker::AddLog(const std::string& name,
                             reftable::TableWriter& table) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, OpenLog(name));
  ZPACK_ASSIGN_OR_RETURN(const uint64_t count, CountLines(*file));
  reftable::LogRecord record;
  record.ref_name = name;
  if (file->size() == 0) {
    // The mark of a reflog without entries.
    record.update_index = 1;
    record.old_id = ObjectId(Bytes(ObjectIdWidth(format_), 0));
    record.new_id = record.old_id;
    return table.Add(record);
  }
  ReverseLines lines(*file, kMaxReflogLine);
  for (uint64_t number = count;; --number) {
    ZPACK_ASSIGN_OR_RETURN(const auto line, lines.Next());
    if (!line) return {};
    const auto problem = ParseReflogLine(*line, format_, record);
    if (!problem.empty()) {
      return MakeError(ErrorCode::kUnsupported,
                       "line {} of the reflog of '{}' cannot be stored in a "
                       "reftable: {}; use --ref-format=files or --without "
                       "reflogs",
                       number, name, MessageText{problem});
    }
    record.update_index = number;
    if (record.message.size() > kMaxLogMessage + 1) {
      record.message.resize(kMaxLogMessage);
      record.message += '\n';
    }
    ZPACK_TRY(table.Add(record));
  }
}

}  // namespace

Status WriteRestoredReftable(FileSystem& file_system,
                             const std::string& directory, ObjectFormat format,
                             const WorktreeRefs& content) {
  return ReftableMaker(file_system, directory, format).Make(content);
}

}  // namespace zpack
