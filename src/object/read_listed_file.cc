// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/read_listed_file.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/hex.h"

namespace zpack {

Result<std::optional<RepositoryFile>> ReadListedFile(
    ObjectSource& source, const ListedFile& listed, const std::stop_token& stop,
    const std::function<Status(ByteView)>& piece) {
  ZPACK_ASSIGN_OR_RETURN(const auto stream, source.OpenFile(listed));
  if (stream == nullptr) return std::nullopt;
  RepositoryFile file{listed.group, listed.name, listed.executable, 0, {}};
  Hasher hasher(HashAlgorithm::kSha256);
  Bytes buffer(size_t{64} << 10);
  while (true) {
    ZPACK_TRY(CheckStop(stop));
    ZPACK_ASSIGN_OR_RETURN(const size_t size, stream->Read(buffer));
    if (size == 0) break;
    const ByteView read = ByteView(buffer).first(size);
    file.size += size;
    hasher.Update(read);
    ZPACK_TRY(piece(read));
  }
  hasher.Finish(file.sha256);
  return file;
}

Status CheckContent(const ObjectSource& source, const RepositoryFile& file) {
  if (NameFitsContent(file)) return {};
  return MakeError(ErrorCode::kSourceCorrupt,
                   "'{}' of '{}' is corrupt: its content hashes to {}",
                   file.name, AtPath{source.path()}, ToHex(file.sha256));
}

}  // namespace zpack
