// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/refs_chunk.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
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

Status DecodeRef(ByteReader& in, size_t width, Ref& ref) {
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
  return {};
}

void EncodeHead(const RefsSnapshot& refs, ByteWriter& to) {
  if (refs.head_symref.empty()) {
    to.U8(static_cast<uint8_t>(HeadKind::kDetached));
    to.Raw(refs.head_target.bytes());
  } else {
    to.U8(static_cast<uint8_t>(HeadKind::kSymbolic));
    to.LengthPrefixed(AsBytes(refs.head_symref));
  }
}

Status DecodeHead(ByteReader& in, size_t width, RefsSnapshot& refs) {
  switch (static_cast<HeadKind>(in.U8())) {
    case HeadKind::kSymbolic:
      refs.head_symref = AsText(in.LengthPrefixed());
      if (!IsValidRefName(refs.head_symref)) {
        return MakeError(ErrorCode::kCorrupt, "bad target of HEAD '{}'",
                         refs.head_symref);
      }
      return {};
    case HeadKind::kDetached:
      refs.head_target = ReadId(in, width);
      return {};
    default:
      return MakeError(ErrorCode::kCorrupt, "bad kind of HEAD");
  }
}

void EncodeRefList(const std::vector<Ref>& refs, ByteWriter& to) {
  to.Varint(refs.size());
  for (const Ref& ref : refs) {
    to.U8(static_cast<uint8_t>(KindOf(ref)));
    to.LengthPrefixed(AsBytes(ref.name));
    if (ref.symbolic()) {
      to.LengthPrefixed(AsBytes(ref.symref_target));
    } else {
      to.Raw(ref.target.bytes());
      to.Raw(ref.peeled.bytes());
    }
  }
}

Status DecodeRefList(ByteReader& in, size_t width, std::vector<Ref>& refs) {
  const uint64_t count = in.Count(in.Varint(), kMinRefSize);
  refs.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    Ref& ref = refs.emplace_back();
    ZPACK_TRY(DecodeRef(in, width, ref));
    if (i != 0 && refs[i - 1].name >= ref.name) {
      return MakeError(ErrorCode::kCorrupt, "ref '{}' out of order", ref.name);
    }
  }
  return CheckRefs(refs, ErrorCode::kCorrupt);
}

void EncodeShallow(const std::vector<ObjectId>& shallow, ByteWriter& to) {
  to.Varint(shallow.size());
  for (const ObjectId& id : shallow) to.Raw(id.bytes());
}

Status DecodeShallow(ByteReader& in, size_t width,
                     std::vector<ObjectId>& shallow) {
  const uint64_t count = in.Count(in.Varint(), width);
  for (uint64_t i = 0; i < count; ++i) {
    const ObjectId id = ReadId(in, width);
    if (!shallow.empty() && shallow.back() >= id) {
      return MakeError(ErrorCode::kCorrupt, "shallow boundary out of order");
    }
    shallow.push_back(id);
  }
  return {};
}

Status CheckEnd(const ByteReader& in) {
  if (in.exhausted()) return {};
  return MakeError(ErrorCode::kCorrupt, "bad size of refs");
}

void ReadDigest(ByteReader& in, Digest& digest) {
  const ByteView bytes = in.Raw(digest.size());
  std::ranges::copy(bytes, digest.begin());
}

Digest DigestOf(const RefsSnapshot& refs) {
  Bytes payload;
  Encode(refs, payload);
  Hasher hasher(HashAlgorithm::kSha256);
  hasher.Update(payload);
  Digest digest;
  hasher.Finish(digest);
  return digest;
}

}  // namespace

void Encode(const RefsSnapshot& refs, Bytes& out) {
  ByteWriter to(out);
  EncodeHead(refs, to);
  EncodeRefList(refs.refs, to);
  EncodeShallow(refs.shallow, to);
}

Result<RefsSnapshot> DecodeRefs(ByteView payload, ObjectFormat format) {
  const size_t width = ObjectIdWidth(format);
  ByteReader in(payload);
  RefsSnapshot refs;
  ZPACK_TRY(DecodeHead(in, width, refs));
  ZPACK_TRY(DecodeRefList(in, width, refs.refs));
  ZPACK_TRY(DecodeShallow(in, width, refs.shallow));
  ZPACK_TRY(CheckEnd(in));
  return refs;
}

bool IsValidNameBelow(std::string_view name) {
  constexpr size_t kMaxName = 255;
  return !name.empty() && name.size() <= kMaxName && name != "." &&
         name != ".." && std::ranges::none_of(name, [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == '/' ||
                  c == '\x7f';
         });
}

BackedRefs ChangesOf(const RefsSnapshot& below, const RefsSnapshot& refs) {
  BackedRefs changes;
  changes.changed.head_symref = refs.head_symref;
  changes.changed.head_target = refs.head_target;
  changes.changed.shallow = refs.shallow;
  for (const Ref& ref : refs.refs) {
    const Ref* const old = below.Find(ref.name);
    if (old == nullptr || *old != ref) changes.changed.refs.push_back(ref);
  }
  for (const Ref& ref : below.refs) {
    if (refs.Find(ref.name) == nullptr) changes.removed.push_back(ref.name);
  }
  changes.digest = DigestOf(refs);
  return changes;
}

void Encode(const BackedRefs& refs, Bytes& out) {
  ByteWriter to(out);
  to.U32(refs.below.object_count);
  to.Raw(refs.below.ids_digest);
  to.Raw(refs.below.file_hash);
  to.LengthPrefixed(AsBytes(refs.below.name));
  EncodeHead(refs.changed, to);
  to.Varint(refs.removed.size());
  for (const std::string& name : refs.removed) {
    to.LengthPrefixed(AsBytes(name));
  }
  EncodeRefList(refs.changed.refs, to);
  EncodeShallow(refs.changed.shallow, to);
  to.Raw(refs.digest);
}

Result<BackedRefs> DecodeBackedRefs(ByteView payload, ObjectFormat format) {
  const size_t width = ObjectIdWidth(format);
  ByteReader in(payload);
  BackedRefs refs;
  refs.below.object_count = in.U32();
  ReadDigest(in, refs.below.ids_digest);
  ReadDigest(in, refs.below.file_hash);
  refs.below.name = AsText(in.LengthPrefixed());
  if (!in.ok() || !IsValidNameBelow(refs.below.name)) {
    return MakeError(ErrorCode::kCorrupt, "bad name of the file below '{}'",
                     refs.below.name);
  }
  ZPACK_TRY(DecodeHead(in, width, refs.changed));
  const uint64_t removed = in.Count(in.Varint(), 1);
  for (uint64_t i = 0; i < removed; ++i) {
    std::string name(AsText(in.LengthPrefixed()));
    if (!refs.removed.empty() && refs.removed.back() >= name) {
      return MakeError(ErrorCode::kCorrupt, "removed ref '{}' out of order",
                       name);
    }
    refs.removed.push_back(std::move(name));
  }
  ZPACK_TRY(DecodeRefList(in, width, refs.changed.refs));
  ZPACK_TRY(DecodeShallow(in, width, refs.changed.shallow));
  ReadDigest(in, refs.digest);
  ZPACK_TRY(CheckEnd(in));
  return refs;
}

Status Apply(const BackedRefs& changes, RefsSnapshot& refs) {
  if (!changes.removed.empty()) {
    const size_t erased = std::erase_if(refs.refs, [&](const Ref& ref) {
      return std::ranges::binary_search(changes.removed, ref.name);
    });
    if (erased != changes.removed.size()) {
      return MakeError(ErrorCode::kCorrupt,
                       "a removed ref is not in the file below");
    }
  }
  std::vector<Ref> added;
  for (const Ref& ref : changes.changed.refs) {
    const auto at =
        std::ranges::lower_bound(refs.refs, ref.name, {}, &Ref::name);
    if (at != refs.refs.end() && at->name == ref.name) {
      *at = ref;
    } else {
      added.push_back(ref);
    }
  }
  if (!added.empty()) {
    const auto middle = static_cast<std::ptrdiff_t>(refs.refs.size());
    std::ranges::move(added, std::back_inserter(refs.refs));
    std::ranges::inplace_merge(refs.refs, refs.refs.begin() + middle, {},
                               &Ref::name);
  }
  refs.head_symref = changes.changed.head_symref;
  refs.head_target = changes.changed.head_target;
  refs.shallow = changes.changed.shallow;
  return {};
}

Status CheckApplied(const BackedRefs& changes, const RefsSnapshot& refs) {
  ZPACK_TRY(CheckRefs(refs.refs, ErrorCode::kCorrupt));
  if (DigestOf(refs) == changes.digest) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "refs are not those that their digest states");
}

}  // namespace zpack::format
