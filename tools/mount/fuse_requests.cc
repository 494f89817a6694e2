// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuse_requests.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "zpack/quote.h"

namespace zpack::mount {

int ErrnoOf(const Error& error) {
  return error.code == ErrorCode::kOutOfMemory ? ENOMEM : EIO;
}

struct stat MountedFile::StatOf(const Node& node) const {
  const Place& place = node.place;
  struct stat attributes{};
  attributes.st_ino = node.inode;
  if (IsDirectory(place.kind)) {
    attributes.st_mode = S_IFDIR | 0755;
  } else if (IsLink(place.kind)) {
    attributes.st_mode = S_IFLNK | 0777;
  } else {
    attributes.st_mode = S_IFREG | (place.executable ? 0755 : 0644);
  }
  // 1 for a directory says that the number of its directories is not known.
  attributes.st_nlink = 1;
  attributes.st_uid = user;
  attributes.st_gid = group;
  attributes.st_size = static_cast<off_t>(node.size);
  attributes.st_blocks = static_cast<blkcnt_t>((node.size + 511) / 512);
  attributes.st_blksize = 128 << 10;  // what one request reads
  const int64_t time = tree.TimeOf(place);
  attributes.st_atim.tv_sec = time;
  attributes.st_mtim.tv_sec = time;
  attributes.st_ctim.tv_sec = time;
  return attributes;
}

fuse_entry_param MountedFile::EntryOf(const Node& node) const {
  fuse_entry_param entry{};
  entry.ino = NumberOf(node);
  entry.attr = StatOf(node);
  entry.attr_timeout = kForever;
  entry.entry_timeout = kForever;
  return entry;
}

void MountedFile::Log(const Node& node, std::string_view name,
                      const Error& error) {
  // An entry without a node is not remembered.
  if (name.empty() && node.logged.exchange(true)) return;
  std::string path = PathOf(node);
  if (!name.empty()) {
    if (!path.empty()) path += '/';
    path += name;
  }
  log.Write(
      fmt::format("cannot read '{}': {}", QuoteName(path), error.message));
}

namespace {

void Init(void* data, fuse_conn_info* connection) {
  auto& file = *static_cast<MountedFile*>(data);
  file.opens_files = (connection->capable & FUSE_CAP_NO_OPEN_SUPPORT) == 0;
  file.opens_directories =
      (connection->capable & FUSE_CAP_NO_OPENDIR_SUPPORT) == 0;
  connection->want |= connection->capable & FUSE_CAP_CACHE_SYMLINKS;
  if (file.ready) file.ready();
}

void Lookup(fuse_req_t request, fuse_ino_t number, const char* name) {
  Respond(request, [&](MountedFile& file) {
    Node& parent = file.NodeOf(number);
    Node* node = file.nodes.Find(parent, name);
    if (node == nullptr) {
      const auto place = file.tree.Find(parent.place, name);
      if (place && !*place) {
        // The kernel remembers that there is no such entry.
        fuse_entry_param none{};
        none.entry_timeout = kForever;
        fuse_reply_entry(request, &none);
        return;
      }
      const auto size = place
                            ? file.tree.SizeOf(**place)
                            : Result<uint64_t>(std::unexpected(place.error()));
      if (!size) {
        file.Log(parent, name, size.error());
        fuse_reply_err(request, ErrnoOf(size.error()));
        return;
      }
      node = &file.nodes.Insert(parent, name, **place, *size);
    }
    const fuse_entry_param entry = file.EntryOf(*node);
    // A request that was interrupted has taken nothing.
    if (fuse_reply_entry(request, &entry) != 0) file.nodes.Forget(*node, 1);
  });
}

void Forget(fuse_req_t request, fuse_ino_t number, uint64_t count) {
  auto& file = *static_cast<MountedFile*>(fuse_req_userdata(request));
  if (number != FUSE_ROOT_ID) file.nodes.Forget(file.NodeOf(number), count);
  fuse_reply_none(request);
}

void ForgetMulti(fuse_req_t request, size_t count, fuse_forget_data* forgets) {
  auto& file = *static_cast<MountedFile*>(fuse_req_userdata(request));
  for (size_t i = 0; i < count; ++i) {
    if (forgets[i].ino == FUSE_ROOT_ID) continue;
    file.nodes.Forget(file.NodeOf(forgets[i].ino), forgets[i].nlookup);
  }
  fuse_reply_none(request);
}

void GetAttributes(fuse_req_t request, fuse_ino_t number,
                   fuse_file_info* /*info*/) {
  Respond(request, [&](MountedFile& file) {
    const struct stat attributes = file.StatOf(file.NodeOf(number));
    fuse_reply_attr(request, &attributes, kForever);
  });
}

void ReadLink(fuse_req_t request, fuse_ino_t number) {
  Respond(request, [&](MountedFile& file) {
    const Node& node = file.NodeOf(number);
    const auto target = file.tree.TargetOf(node.place);
    if (target) {
      fuse_reply_readlink(request, target->c_str());
      return;
    }
    file.Log(node, {}, target.error());
    fuse_reply_err(request, ErrnoOf(target.error()));
  });
}

void Open(fuse_req_t request, fuse_ino_t /*number*/, fuse_file_info* info) {
  Respond(request, [&](const MountedFile& file) {
    if (!file.opens_files) {
      fuse_reply_err(request, ENOSYS);
      return;
    }
    info->keep_cache = 1;
    fuse_reply_open(request, info);
  });
}

void OpenDirectory(fuse_req_t request, fuse_ino_t /*number*/,
                   fuse_file_info* info) {
  Respond(request, [&](const MountedFile& file) {
    if (!file.opens_directories) {
      fuse_reply_err(request, ENOSYS);
      return;
    }
    info->keep_cache = 1;
    info->cache_readdir = 1;
    fuse_reply_open(request, info);
  });
}

void Read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
          fuse_file_info* /*info*/) {
  Respond(request, [&](MountedFile& file) {
    const Node& node = file.NodeOf(number);
    const auto bytes = file.contents.Read(
        node.place.id, node.size, {static_cast<uint64_t>(offset), size});
    if (!bytes) {
      file.Log(node, {}, bytes.error());
      fuse_reply_err(request, ErrnoOf(bytes.error()));
      return;
    }
    std::vector<iovec> pieces;
    pieces.reserve(bytes->pieces.size());
    for (const auto& piece : bytes->pieces) {
      pieces.push_back({const_cast<uint8_t*>(piece.data()), piece.size()});
    }
    fuse_reply_iov(request, pieces.data(), static_cast<int>(pieces.size()));
  });
}

void StatFileSystem(fuse_req_t request, fuse_ino_t /*number*/) {
  Respond(request, [&](const MountedFile& file) {
    struct statvfs numbers{};
    numbers.f_bsize = 4096;
    numbers.f_frsize = 512;
    numbers.f_blocks = (file.file_size + 511) / 512;
    numbers.f_files = file.reader.object_count();
    numbers.f_namemax = 255;
    numbers.f_flag = ST_RDONLY;
    fuse_reply_statfs(request, &numbers);
  });
}

// Answers with a value of an extended attribute, or with its size.
void ReplyValue(fuse_req_t request, const std::string& value, size_t size) {
  if (size == 0) {
    fuse_reply_xattr(request, value.size());
  } else if (size < value.size()) {
    fuse_reply_err(request, ERANGE);
  } else {
    fuse_reply_buf(request, value.data(), value.size());
  }
}

void GetExtendedAttribute(fuse_req_t request, fuse_ino_t number,
                          const char* name, size_t size) {
  Respond(request, [&](MountedFile& file) {
    for (const auto& [known, value] :
         ArchiveTree::AttributesOf(file.NodeOf(number).place)) {
      if (known == name) {
        ReplyValue(request, value, size);
        return;
      }
    }
    // Programs that look for access control lists then stop looking.
    const bool user = std::string_view(name).starts_with("user.");
    fuse_reply_err(request, user ? ENODATA : EOPNOTSUPP);
  });
}

void ListExtendedAttributes(fuse_req_t request, fuse_ino_t number,
                            size_t size) {
  Respond(request, [&](MountedFile& file) {
    std::string names;
    for (const auto& [name, value] :
         ArchiveTree::AttributesOf(file.NodeOf(number).place)) {
      names += name;
      names += '\0';
    }
    ReplyValue(request, names, size);
  });
}

}  // namespace

const fuse_lowlevel_ops& FuseOperations() {
  static const fuse_lowlevel_ops operations = [] {
    fuse_lowlevel_ops table{};
    table.init = Init;
    table.lookup = Lookup;
    table.forget = Forget;
    table.forget_multi = ForgetMulti;
    table.getattr = GetAttributes;
    table.readlink = ReadLink;
    table.open = Open;
    table.read = Read;
    table.opendir = OpenDirectory;
    table.readdir = ListDirectory;
    table.readdirplus = ListDirectoryPlus;
    table.statfs = StatFileSystem;
    table.getxattr = GetExtendedAttribute;
    table.listxattr = ListExtendedAttributes;
    return table;
  }();
  return operations;
}

}  // namespace zpack::mount
