// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/delta_block.h"

#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace zpack::format {
namespace {

std::unexpected<Error> BadDeltas(std::string_view what) {
  return MakeError(ErrorCode::kCorrupt, "bad {} in block of deltas", what);
}

// One literal run and the copy after it, if there is one.
struct Command {
  uint64_t literals = 0;
  uint64_t length = 0;
  uint64_t offset = 0;
};

// Reads the commands of one object after the other.
class CommandReader {
 public:
  CommandReader(ByteView literal_lengths, ByteView copy_lengths,
                ByteView copy_offsets)
      : literal_lengths_(literal_lengths),
        copy_lengths_(copy_lengths),
        copy_offsets_(copy_offsets) {}

  // Begins an object of `size` bytes with a base of `base_size` bytes.
  void Begin(uint64_t size, uint64_t base_size) {
    remaining_ = size;
    base_size_ = base_size;
    expected_ = 0;
  }

  // Returns false at the end of the object. Returns false with ok() == false
  // for a command beyond the end of the object or the base.
  bool Next(Command& command) {
    if (remaining_ == 0) return false;
    command = {literal_lengths_.Varint(), 0, 0};
    if (!literal_lengths_.ok() || command.literals > remaining_) return Fail();
    remaining_ -= command.literals;
    if (remaining_ == 0) return true;
    command.length = copy_lengths_.Varint();
    const int64_t jump = UnZigZag(copy_offsets_.Varint());
    if (!copy_lengths_.ok() || !copy_offsets_.ok()) return Fail();
    uint64_t expected = expected_ + command.literals;
    if (command.length == 0) {
      // A copy up to the end of the object. It is expected at the end of the
      // base.
      command.length = remaining_;
      if (command.length > base_size_) return Fail();
      expected = base_size_ - command.length;
    }
    // Unsigned arithmetic wraps, so the check below finds any invalid value.
    command.offset = expected + static_cast<uint64_t>(jump);
    if (command.length > remaining_ || command.length > base_size_ ||
        command.offset > base_size_ - command.length) {
      return Fail();
    }
    remaining_ -= command.length;
    expected_ = command.offset + command.length;
    return true;
  }

  bool ok() const { return ok_; }
  bool exhausted() const {
    return literal_lengths_.exhausted() && copy_lengths_.exhausted() &&
           copy_offsets_.exhausted();
  }
  size_t literal_lengths() const { return literal_lengths_.position(); }
  size_t copy_lengths() const { return copy_lengths_.position(); }
  size_t copy_offsets() const { return copy_offsets_.position(); }

 private:
  bool Fail() {
    ok_ = false;
    return false;
  }

  ByteReader literal_lengths_;
  ByteReader copy_lengths_;
  ByteReader copy_offsets_;
  uint64_t remaining_ = 0;
  uint64_t base_size_ = 0;
  uint64_t expected_ = 0;  // without the literals before the next copy
  bool ok_ = true;
};

// Reads the commands from these positions in the streams on.
CommandReader ReadFrom(const BlockStreams& streams, size_t literal_lengths,
                       size_t copy_lengths, size_t copy_offsets) {
  const auto from = [&](StreamKind kind, size_t position) {
    return ByteView(streams[kind]).subspan(position);
  };
  return {from(StreamKind::kLiteralLengths, literal_lengths),
          from(StreamKind::kCopyLengths, copy_lengths),
          from(StreamKind::kCopyOffsets, copy_offsets)};
}

}  // namespace

void DeltaBlockBuilder::Add(ByteView content) {
  streams_.Mark();
  layout_.Add(content.size(), std::nullopt, streams_);
  Append(streams_[StreamKind::kLiterals], content);
}

void DeltaBlockBuilder::Add(ByteView content, uint32_t base,
                            const Delta& delta) {
  streams_.Mark();
  layout_.Add(content.size(), base, streams_);
  AddCopies(content, layout_.size(base), delta);
}

void DeltaBlockBuilder::Add(ByteView content, const FarBase& base,
                            ObjectNumber first, const Delta& delta) {
  streams_.Mark();
  layout_.Add(content.size(), base, first, streams_);
  AddCopies(content, base.size, delta);
}

void DeltaBlockBuilder::AddCopies(ByteView content, uint64_t base_size,
                                  const Delta& delta) {
  Bytes& literals = streams_[StreamKind::kLiterals];
  ByteWriter literal_lengths(streams_[StreamKind::kLiteralLengths]);
  ByteWriter copy_lengths(streams_[StreamKind::kCopyLengths]);
  ByteWriter copy_offsets(streams_[StreamKind::kCopyOffsets]);
  uint64_t done = 0;
  uint64_t expected = 0;
  for (const DeltaCopy& copy : delta.copies) {
    literal_lengths.Varint(copy.literals);
    Append(literals, content.subspan(done, copy.literals));
    done += copy.literals + copy.length;
    if (done == content.size()) {
      // Most last copies end at the end of the base.
      copy_lengths.Varint(0);
      expected = base_size - copy.length;
    } else {
      copy_lengths.Varint(copy.length);
      expected += copy.literals;
    }
    copy_offsets.Varint(ZigZag(static_cast<int64_t>(copy.offset) -
                               static_cast<int64_t>(expected)));
    expected = copy.offset + copy.length;
  }
  if (done < content.size()) {
    literal_lengths.Varint(content.size() - done);
    Append(literals, content.subspan(done));
  }
}

void DeltaBlockBuilder::Undo() {
  streams_.Rewind();
  layout_.Undo();
}

void DeltaBlockBuilder::Clear() {
  streams_.Clear();
  layout_.Clear();
}

Result<DeltaBlock> DeltaBlock::Parse(BlockStreams streams,
                                     const ObjectRange& objects,
                                     const BlockLimits& limits) {
  // Positions are kept in 32 bits.
  for (const StreamKind kind :
       {StreamKind::kLiteralLengths, StreamKind::kCopyLengths,
        StreamKind::kCopyOffsets, StreamKind::kLiterals}) {
    const size_t size = streams[kind].size();
    if (size > std::numeric_limits<uint32_t>::max()) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "stream of {} bytes in a block of deltas", size);
    }
  }
  ZPACK_ASSIGN_OR_RETURN(BlockLayout layout,
                         ParseBlockLayout({streams[StreamKind::kSizes],
                                           streams[StreamKind::kBases],
                                           streams[StreamKind::kFarBases]},
                                          objects, limits));
  DeltaBlock block(std::move(streams), std::move(layout));
  ZPACK_TRY(block.CheckCopies());
  return block;
}

Status DeltaBlock::CheckCopies() {
  CommandReader commands(streams_[StreamKind::kLiteralLengths],
                         streams_[StreamKind::kCopyLengths],
                         streams_[StreamKind::kCopyOffsets]);
  const uint64_t total = streams_[StreamKind::kLiterals].size();
  uint64_t literals = 0;
  starts_.reserve(layout_.sizes.size());
  for (uint32_t index = 0; index < layout_.sizes.size(); ++index) {
    starts_.push_back({static_cast<uint32_t>(commands.literal_lengths()),
                       static_cast<uint32_t>(commands.copy_lengths()),
                       static_cast<uint32_t>(commands.copy_offsets()),
                       static_cast<uint32_t>(literals)});
    const uint32_t base = layout_.bases[index];
    uint64_t own = layout_.sizes[index];
    if (base != index) {
      commands.Begin(own, layout_.size(base));
      own = 0;
      Command command;
      while (commands.Next(command)) own += command.literals;
      if (!commands.ok()) return BadDeltas("copies");
    }
    if (own > total - literals) return BadDeltas("literals");
    literals += own;
  }
  if (!commands.exhausted()) return BadDeltas("copies");
  if (literals != total) return BadDeltas("literals");
  return {};
}

void DeltaBlock::Rebuild(uint32_t index, ByteView base, Bytes& out) const {
  const Start& start = starts_[index];
  const ByteView literals =
      ByteView(streams_[StreamKind::kLiterals]).subspan(start.literals);
  const uint64_t size = layout_.sizes[index];
  out.resize(size);
  if (layout_.bases[index] == index) {
    if (size != 0) std::memcpy(out.data(), literals.data(), size);
    return;
  }
  ZPACK_CHECK(base.size() == layout_.size(layout_.bases[index]));
  CommandReader commands = ReadFrom(streams_, start.literal_lengths,
                                    start.copy_lengths, start.copy_offsets);
  commands.Begin(size, base.size());
  uint8_t* to = out.data();
  const uint8_t* literal = literals.data();
  Command command;
  while (commands.Next(command)) {
    if (command.literals != 0) {
      std::memcpy(to, literal, command.literals);
      to += command.literals;
      literal += command.literals;
    }
    if (command.length != 0) {
      std::memcpy(to, base.data() + command.offset, command.length);
      to += command.length;
    }
  }
}

void DeltaBlock::ReadDelta(uint32_t index, Delta& delta) const {
  const Start& start = starts_[index];
  CommandReader commands = ReadFrom(streams_, start.literal_lengths,
                                    start.copy_lengths, start.copy_offsets);
  commands.Begin(layout_.sizes[index], layout_.size(layout_.bases[index]));
  delta.copies.clear();
  Command command;
  while (commands.Next(command)) {
    if (command.length == 0) continue;  // literals at the end
    delta.copies.push_back({static_cast<uint32_t>(command.literals),
                            static_cast<uint32_t>(command.length),
                            static_cast<uint32_t>(command.offset)});
  }
}

uint64_t DeltaBlock::memory() const {
  return raw_size() +
         count() * (sizeof(Start) + sizeof(uint64_t) + sizeof(uint32_t)) +
         layout_.far.size() * sizeof(FarBase);
}

uint64_t DeltaBlock::own_size(uint32_t index) const {
  const Start& from = starts_[index];
  const Start to =
      index + 1 < count()
          ? starts_[index + 1]
          : Start{
                static_cast<uint32_t>(
                    streams_[StreamKind::kLiteralLengths].size()),
                static_cast<uint32_t>(
                    streams_[StreamKind::kCopyLengths].size()),
                static_cast<uint32_t>(
                    streams_[StreamKind::kCopyOffsets].size()),
                static_cast<uint32_t>(streams_[StreamKind::kLiterals].size())};
  return (to.literal_lengths - from.literal_lengths) +
         (to.copy_lengths - from.copy_lengths) +
         (to.copy_offsets - from.copy_offsets) + (to.literals - from.literals);
}

}  // namespace zpack::format
