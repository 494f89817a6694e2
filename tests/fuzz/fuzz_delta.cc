// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Deltas. By the first byte: the streams of a block of deltas, parsed, and
// every object rebuilt; or a base and a target, from encoder to decoder, where
// the target must come back.

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "delta/delta_encoder.h"
#include "fuzz/fuzz_target.h"
#include "pack/pack_delta.h"
#include "support/delta_blocks.h"
#include "support/deltas.h"

namespace {

using namespace zpack;

// Small, because a few bytes can ask for many objects of this size.
constexpr uint64_t kMaxObject = 1 << 16;
constexpr uint64_t kMaxContent = 1 << 24;

void Require(bool condition) {
  if (!condition) std::abort();
}

// A count of one byte, and the streams as DecodeInput reads them.
void UseStreams(ByteView input) {
  ByteReader in(input);
  const uint32_t count = in.U8();
  format::BlockStreams streams(format::BlockKind::kDeltas);
  if (!zpack::testing::DecodeInput(in, streams)) return;
  auto deltas =
      format::DeltaBlock::Parse(std::move(streams), {ObjectNumber(), count},
                                format::BlockLimits{kMaxObject, kMaxContent});
  if (!deltas) return;
  const DecodedBlock block = zpack::testing::DecodedFrom(*std::move(deltas));
  Bytes last;
  const Status visited = block.ForEachObject(
      16 * kMaxObject, [&](size_t index, ByteView content) -> Status {
        Require(content.size() == block.objects.sizes[index]);
        last.assign(content.begin(), content.end());
        return {};
      });
  // Not each of them: a chain of all of them would take quadratic time.
  if (!visited || count == 0) return;
  Bytes buffer;
  Require(std::ranges::equal(*block.Object(count - 1, buffer), last));
}

// The size of the base in two bytes, base and target.
void UseContents(ByteView input) {
  ByteReader in(input);
  const uint16_t size = in.U16();
  const ByteView base = in.Raw(std::min<size_t>(size, in.remaining()));
  const ByteView target = in.Raw(in.remaining());

  static DeltaEncoder encoder{DeltaCosts{}};
  Delta delta;
  Require(encoder.Encode(base, target, UINT64_MAX, delta));
  const auto applied = zpack::testing::ApplyDelta(base, target, delta);
  Require(applied && std::ranges::equal(*applied, target));
  Bytes stock;
  EncodePackDelta(base.size(), target, delta, stock);
  Bytes rebuilt;
  Require(ApplyPackDelta(base, stock, target.size(), rebuilt).has_value() &&
          std::ranges::equal(rebuilt, target));
  Delta limited;
  Require(!encoder.Encode(base, target, delta.cost, limited));

  format::DeltaBlockBuilder builder;
  builder.Add(base);
  builder.Add(target, 0, delta);
  auto deltas =
      format::DeltaBlock::Parse(builder.streams(), {ObjectNumber(), 2},
                                format::BlockLimits{UINT32_MAX, UINT32_MAX});
  Require(deltas.has_value());
  Bytes buffer;
  const DecodedBlock block = zpack::testing::DecodedFrom(*std::move(deltas));
  Require(std::ranges::equal(*block.Object(1, buffer), target));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const ByteView rest(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    UseStreams(rest);
  } else {
    UseContents(rest);
  }
  return 0;
}
