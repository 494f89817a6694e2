// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/parity_edits.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "parity/parity_packet.h"
#include "parity/parity_shape.h"

namespace zpack::testing {
namespace {

struct Packet {
  Bytes before;  // bytes after the previous packet that are none
  PacketKind kind = PacketKind::kParameters;
  ParitySetId set = 0;
  uint32_t index = 0;
  Bytes payload;
};

struct Packets {
  std::vector<Packet> packets;
  Bytes after;
};

Packets Split(ByteView bytes) {
  constexpr std::array<uint8_t, 4> kMagic = {'Z', 'P', 'A', 'R'};
  Packets found;
  size_t end = 0;  // of the last packet
  auto at = bytes.begin();
  while (true) {
    at = std::search(at, bytes.end(), kMagic.begin(), kMagic.end());
    const auto offset = static_cast<size_t>(at - bytes.begin());
    if (at == bytes.end()) break;
    ++at;
    const auto packet = DecodePacket(bytes.subspan(offset));
    if (!packet) continue;
    const ByteView before = bytes.subspan(end, offset - end);
    found.packets.push_back(
        {Bytes(before.begin(), before.end()), packet->kind, packet->set,
         packet->index, Bytes(packet->payload.begin(), packet->payload.end())});
    end = offset + packet->size();
    at = bytes.begin() + static_cast<ptrdiff_t>(end);
  }
  found.after.assign(bytes.begin() + static_cast<ptrdiff_t>(end), bytes.end());
  return found;
}

Bytes Join(const Packets& parts) {
  Bytes bytes;
  for (const Packet& packet : parts.packets) {
    Append(bytes, packet.before);
    Encode({packet.kind, packet.set, packet.index, packet.payload}, bytes);
  }
  Append(bytes, parts.after);
  return bytes;
}

// A number of type `T` at `offset` of `payload`.
template <typename T>
void EditNumber(Bytes& payload, size_t offset, Choices& choices) {
  if (payload.size() < offset + sizeof(T)) return;
  T value = LoadBigEndian<T>(&payload[offset]);
  choices.Edit(value);
  for (size_t i = sizeof(T); i-- > 0; value >>= 8) {
    payload[offset + i] = static_cast<uint8_t>(value);
  }
}

void EditField(Bytes& parameters, Choices& choices) {
  switch (choices.Below(6)) {
    case 0:
      return EditNumber<uint16_t>(parameters, 0, choices);  // version
    case 1:
      return EditNumber<uint32_t>(parameters, 4, choices);  // shard size
    case 2:
      return EditNumber<uint64_t>(parameters, 8, choices);  // size of data
    case 3:
      return EditNumber<uint64_t>(parameters, 16, choices);  // place of the set
    case 4:
      return EditNumber<uint32_t>(parameters, 24, choices);  // codewords
    default:
      return EditNumber<uint32_t>(parameters, 28, choices);  // parity shards
  }
}

// Other parameters that are possible.
void Reshape(Bytes& parameters, Choices& choices) {
  auto decoded = DecodeParameters(parameters);
  if (!decoded) return EditField(parameters, choices);
  uint64_t data_size = decoded->shape.data_size;
  uint64_t gap = decoded->shape.gap;
  if (choices.OneIn(2)) choices.Edit(data_size);
  if (choices.OneIn(3)) {
    gap = choices.OneIn(2) ? data_size
                           : choices.Below(static_cast<size_t>(
                                 std::min<uint64_t>(data_size, 1 << 16) + 1));
  }
  const uint64_t longest =
      choices.OneIn(2) ? ParityShape::kMaxCodeword : 48 + choices.Below(100);
  const auto shape = MakeParityShape(
      data_size, gap, static_cast<uint32_t>(1 + choices.Below(kMaxRedundancy)),
      longest);
  if (!shape) return EditField(parameters, choices);
  decoded->shape = *shape;
  parameters.clear();
  Encode(*decoded, parameters);
}

// Most often in all packets of the set, so that they still belong together.
void EditParameters(std::vector<Packet>& packets, Packet& chosen,
                    Choices& choices) {
  const ParitySetId old = chosen.set;
  Bytes edited = chosen.payload;
  if (choices.OneIn(2)) {
    EditField(edited, choices);
  } else {
    Reshape(edited, choices);
  }
  if (choices.OneIn(8)) {
    chosen.payload = std::move(edited);
    return;
  }
  const ParitySetId id = SetIdOf(edited);
  for (Packet& packet : packets) {
    if (packet.set != old) continue;
    packet.set = id;
    if (packet.kind == PacketKind::kParameters) packet.payload = edited;
  }
}

void EditPacket(std::vector<Packet>& packets, Choices& choices,
                const EditBytes& edit_bytes) {
  Packet& packet = choices.Any(packets);
  switch (choices.Below(8)) {
    case 0:
      return choices.Edit(packet.index);
    case 1:
      return choices.Edit(packet.kind);
    case 2:
      return choices.Edit(packet.set);
    case 3:
      return std::swap(packet, choices.Any(packets));
    case 4:
      return choices.Insert(packets, packet);
    case 5:
      return choices.Erase(packets);
    case 6:
      // For packets of checksums, one of them.
      return EditNumber<uint32_t>(packet.payload, 4 * choices.Below(64),
                                  choices);
    default:
      return edit_bytes(packet.payload);
  }
}

}  // namespace

bool EditParity(Bytes& bytes, Choices& choices, const EditBytes& edit_bytes) {
  Packets parts = Split(bytes);
  if (parts.packets.empty()) return false;
  const auto parameters =
      std::ranges::find(parts.packets, PacketKind::kParameters, &Packet::kind);
  if (parameters != parts.packets.end() && choices.OneIn(2)) {
    EditParameters(parts.packets, *parameters, choices);
  } else {
    EditPacket(parts.packets, choices, edit_bytes);
  }
  bytes = Join(parts);
  return true;
}

}  // namespace zpack::testing
