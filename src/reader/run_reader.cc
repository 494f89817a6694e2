// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/run_reader.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

// A chunk fits into the processor's cache, together with what it is made from.
constexpr size_t kChunkSize = size_t{512} << 10;

}  // namespace

RunReader::RunReader(const FileBlocks& file, const BulkChoice& choice,
                     std::stop_token stop)
    : file_(file),
      choice_(choice),
      stop_(std::move(stop)),
      hasher_(file.object_format()) {}

Result<Visit> RunReader::Read(const BlockRun& run, const TakeChunk& take) {
  run_ = run;
  take_ = &take;
  next_ = 0;
  handed_on_ = Visit::kContinue;
  WantedObjects chosen;
  Status added = Choose(chosen);
  if (added) added = AddObjects(chosen);
  // What the caller says comes first.
  ZPACK_VISIT(handed_on_, Visit::kStop);
  if (!added) ZPACK_VISIT(AddLost(chosen, added.error()), Visit::kStop);
  return Flush();
}

Status RunReader::Choose(WantedObjects& chosen) {
  const ObjectNumber first = file_.first_object(run_.first);
  const uint32_t count = file_.block_object_count(run_.first);
  if (choice_.numbers) {
    chosen.resize(count);
    const auto& numbers = *choice_.numbers;
    for (auto at = std::ranges::lower_bound(numbers, first);
         at != numbers.end() && *at - first < count; ++at) {
      chosen[*at - first] = true;
    }
  }
  if (choice_.wants) {
    ZPACK_ASSIGN_OR_RETURN(const BlockObjects objects,
                           decoder_.DecodeObjects(file_, run_.first));
    chosen.resize(count, !choice_.numbers);
    for (uint32_t i = 0; i < count; ++i) {
      chosen[i] =
          chosen[i] && choice_.wants({objects.header.type, objects.sizes[i]});
    }
  }
  return {};
}

Status RunReader::AddObjects(const WantedObjects& chosen) {
  if (!chosen.empty() && std::ranges::find(chosen, true) == chosen.end()) {
    return {};
  }
  ZPACK_ASSIGN_OR_RETURN(const DecodedBlock block,
                         decoder_.Decode(file_, run_.first));
  if (IsSegmented(run_, block)) return AddSegmented(block);
  const format::BlockHeader& header = block.objects.header;
  return block.ForEachObject(
      chosen, file_.max_kept(),
      [&](size_t index, ByteView content) -> Result<Visit> {
        const ObjectNumber number =
            header.first_object + static_cast<uint32_t>(index);
        if (content.size() > choice_.max_content) {
          chunk_->AddTooLarge(number, {header.type, content.size()});
        } else {
          chunk_->Add(number, header.type, content);
        }
        next_ = static_cast<uint32_t>(index) + 1;
        return Added();
      });
}

Status RunReader::AddSegmented(const DecodedBlock& first) {
  const format::BlockHeader& header = first.objects.header;
  const uint64_t size = first.objects.sizes.front();
  // ReadSegments refuses larger ones.
  const uint64_t limit =
      std::min({choice_.max_content, file_.options().max_object_size,
                file_.options().max_block_size});
  if (size > limit) {
    chunk_->AddTooLarge(header.first_object, {header.type, size});
  } else {
    ZPACK_ASSIGN_OR_RETURN(const Bytes content,
                           ReadSegments(file_, run_, first, decoder_));
    chunk_->Add(header.first_object, header.type, content);
  }
  next_ = 1;
  ZPACK_TRY(Added());
  return {};
}

Result<Visit> RunReader::AddLost(const WantedObjects& chosen,
                                 const Error& error) {
  const ObjectNumber first = file_.first_object(run_.first);
  for (; next_ < file_.block_object_count(run_.first); ++next_) {
    if (!chosen.empty() && !chosen[next_]) continue;
    const ObjectNumber number = first + next_;
    Error lost =
        NewError(error.code, "object {} cannot be read: {}",
                 file_.ids()[file_.rank(number)], MessageText{error.message});
    lost.path = file_.path();
    lost.offset = file_.block_offset(run_.first);
    chunk_->AddLost(number, std::move(lost));
    ZPACK_VISIT(Added(), Visit::kStop);
  }
  return Visit::kContinue;
}

Result<Visit> RunReader::Added() {
  return chunk_->memory() < kChunkSize ? Visit::kContinue : Flush();
}

Result<Visit> RunReader::Flush() {
  if (chunk_->entries().empty()) return Visit::kContinue;
  hasher_.Check(
      *chunk_,
      [&](ObjectNumber number) { return file_.ids()[file_.rank(number)]; },
      [&](const ObjectId& expected, const ObjectId& actual) {
        return HashMismatch(file_, run_, expected, actual);
      });
  const Status running = CheckStop(stop_);
  handed_on_ = running ? (*take_)(chunk_)
                       : Result<Visit>(std::unexpected(running.error()));
  chunk_->Clear();
  return handed_on_;
}

}  // namespace zpack
