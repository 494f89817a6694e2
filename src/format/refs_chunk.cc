// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/refs_chunk.h"

#include "base/error.h"
#include "object/ref_name.h"

namespace zpack::format {
namespace {

// On disk: do not change.
enum class HeadKind : uint8_t { kSymbolic = 1, kDetached = 2 };
enum class RefKind : uint8_t { kDirect = 1, kPeeled = 2, kSymbolic = 3 };

// A lower bound for the bytes of a ref. The smallest is a symbolic one: its
// kind, and two names of 'refs/' and a letter with their lengths.
constexpr uint64_t kMinRefSize = 15;

RefKind KindOf(const Ref& ref) {
  if (ref.symbolic()) return RefKind::kSymbolic;
  return ref.peeled.empty() ? RefKind::kDirect : RefKind::kPeeled;
}

ObjectId ReadId(ByteReader& in, size_t width) {
  const ByteView bytes = in.Raw(width);
  return bytes.empty() ? ObjectId() : ObjectId(bytes);
}

Result<Ref> DecodeRef(ByteReader& in, size_t width) {
  Ref ref;
  const auto kind = static_cast<RefKind>(in.U8());
  ref.name = AsText(in.LengthPrefixed());
  switch (kind) {
    case RefKind::kDirect:
      ref.target = ReadId(in, width);
      break;
    case RefKind::kPeeled:
      ref.target = ReadId(in, width);
      ref.peeled = ReadId(in, width);
      break;
    case RefKind::kSymbolic:
      ref.symref_target = AsText(in.LengthPrefixed());
      break;
    default:
      return MakeError(ErrorCode::kCorrupt, "bad kind of ref");
  }
  // CheckRefs checks the name.
  if (!in.ok() ||
      (kind == RefKind::kSymbolic && !IsValidRefName(ref.symref_target))) {
    return MakeError(ErrorCode::kCorrupt, "bad ref '{}'", ref.name);
  }
  return ref;
}

}  // namespace

void Encode(const RefsSnapshot& refs, Bytes& out) {
  ByteWriter to(out);
  if (refs.head_symref.empty()) {
    to.U8(static_cast<uint8_t>(HeadKind::kDetached));
    to.Raw(refs.head_target.bytes());
  } else {
    to.U8(static_cast<uint8_t>(HeadKind::kSymbolic));
    to.LengthPrefixed(AsBytes(refs.head_symref));
  }
  to.Varint(refs.refs.size());
  for (const Ref& ref : refs.refs) {
    to.U8(static_cast<uint8_t>(KindOf(ref)));
    to.LengthPrefixed(AsBytes(ref.name));
    if (ref.symbolic()) {
      to.LengthPrefixed(AsBytes(ref.symref_target));
    } else {
      to.Raw(ref.target.bytes());
      to.Raw(ref.peeled.bytes());
    }
  }
  to.Varint(refs.shallow.size());
  for (const ObjectId& id : refs.shallow) to.Raw(id.bytes());
}

Result<RefsSnapshot> DecodeRefs(ByteView payload, ObjectFormat format) {
  const size_t width = ObjectIdWidth(format);
  ByteReader in(payload);
  RefsSnapshot refs;
  switch (static_cast<HeadKind>(in.U8())) {
    case HeadKind::kSymbolic:
      refs.head_symref = AsText(in.LengthPrefixed());
      if (!IsValidRefName(refs.head_symref)) {
        return MakeError(ErrorCode::kCorrupt, "bad target of HEAD '{}'",
                         refs.head_symref);
      }
      break;
    case HeadKind::kDetached:
      refs.head_target = ReadId(in, width);
      break;
    default:
      return MakeError(ErrorCode::kCorrupt, "bad kind of HEAD");
  }
  const uint64_t count = in.Count(in.Varint(), kMinRefSize);
  refs.refs.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    ZPACK_ASSIGN_OR_RETURN(Ref ref, DecodeRef(in, width));
    if (!refs.refs.empty() && refs.refs.back().name >= ref.name) {
      return MakeError(ErrorCode::kCorrupt, "ref '{}' out of order", ref.name);
    }
    refs.refs.push_back(std::move(ref));
  }
  ZPACK_TRY(CheckRefs(refs.refs, ErrorCode::kCorrupt));
  const uint64_t shallow_count = in.Count(in.Varint(), width);
  for (uint64_t i = 0; i < shallow_count; ++i) {
    const ObjectId id = ReadId(in, width);
    if (!refs.shallow.empty() && refs.shallow.back() >= id) {
      return MakeError(ErrorCode::kCorrupt, "shallow boundary out of order");
    }
    refs.shallow.push_back(id);
  }
  if (!in.exhausted()) {
    return MakeError(ErrorCode::kCorrupt, "bad size of refs");
  }
  return refs;
}

}  // namespace zpack::format
