// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <sys/stat.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "fuse_requests.h"

namespace zpack::mount {
namespace {

// Entries before those of the listing.
constexpr std::array<const char*, 2> kDots = {".", ".."};

mode_t TypeOf(uint32_t mode) {
  switch (mode & 0170000) {
    case 0:
      return 0;  // a ref, of which the type is not known yet
    case 0040000:
    case 0160000:
      return S_IFDIR;
    case 0120000:
      return S_IFLNK;
    default:
      return S_IFREG;
  }
}

class DirectoryAnswer {
 public:
  DirectoryAnswer(fuse_req_t request, MountedFile& file, Node& directory,
                  size_t size)
      : request_(request), file_(file), directory_(directory), buffer_(size) {}

  // Returns false if there is no room for the entry. `next` is where the next
  // request begins.
  bool AddPlain(const char* name, uint64_t inode, mode_t type, off_t next) {
    struct stat attributes{};
    attributes.st_ino = inode;
    attributes.st_mode = type;
    return Take(fuse_add_direntry(request_, free(), free_size(), name,
                                  &attributes, next));
  }

  bool AddPlus(const char* name, const ListedEntry& listed, off_t next) {
    if (fuse_add_direntry_plus(request_, nullptr, 0, name, nullptr, 0) >
        free_size()) {
      return false;
    }
    Node* const node = NodeFor(listed);
    if (node != nullptr) given_.push_back(node);
    return AddEntry(name,
                    node != nullptr
                        ? file_.EntryOf(*node)
                        : Unknown(NodeTable::InodeOf(directory_, listed.name),
                                  TypeOf(listed.mode)),
                    next);
  }

  bool AddDot(const char* name, uint64_t inode, off_t next) {
    return AddEntry(name, Unknown(inode, S_IFDIR), next);
  }

  void Send() {
    if (fuse_reply_buf(request_, buffer_.data(), used_) == 0) return;
    for (Node* const node : given_) file_.nodes.Forget(*node, 1);
  }

 private:
  char* free() { return buffer_.data() + used_; }
  size_t free_size() const { return buffer_.size() - used_; }
  bool Take(size_t needed) {
    if (needed > free_size()) return false;
    used_ += needed;
    return true;
  }

  bool AddEntry(const char* name, const fuse_entry_param& entry, off_t next) {
    return Take(fuse_add_direntry_plus(request_, free(), free_size(), name,
                                       &entry, next));
  }

  // An entry whose attributes the kernel has to ask for.
  static fuse_entry_param Unknown(uint64_t inode, mode_t type) {
    fuse_entry_param entry{};
    entry.attr.st_ino = inode;
    entry.attr.st_mode = type;
    return entry;
  }

  // The node of an entry; null if its attributes take long to find, as those of
  // a ref do, or cannot be read. Then Lookup says why.
  Node* NodeFor(const ListedEntry& listed) {
    if (directory_.place.kind != PlaceKind::kTree) return nullptr;
    if (Node* const known = file_.nodes.Find(directory_, listed.name)) {
      return known;
    }
    Place place = ArchiveTree::PlaceOf(directory_.place, listed);
    const auto size = file_.tree.SizeOf(place);
    if (!size) return nullptr;
    return &file_.nodes.Insert(directory_, listed.name, std::move(place),
                               *size);
  }

  fuse_req_t request_;
  MountedFile& file_;
  Node& directory_;
  std::vector<char> buffer_;
  size_t used_ = 0;
  std::vector<Node*> given_;  // to the kernel, if the answer arrives
};

enum class Attributes : uint8_t { kNo, kYes };

void List(fuse_req_t request, MountedFile& file, Node& directory, size_t size,
          size_t offset, Attributes attributes) {
  const auto listing = file.tree.List(directory.place);
  if (!listing) {
    file.Log(directory, {}, listing.error());
    fuse_reply_err(request, ErrnoOf(listing.error()));
    return;
  }
  if (offset == 0 && attributes == Attributes::kYes) {
    file.read_ahead.Expect(directory.place, **listing);
  }
  const auto& entries = (*listing)->entries();
  const Node& above =
      directory.parent == nullptr ? directory : *directory.parent;
  DirectoryAnswer answer(request, file, directory, size);
  std::string name;
  for (size_t i = offset; i < entries.size() + kDots.size(); ++i) {
    const auto next = static_cast<off_t>(i + 1);
    bool added = false;
    if (i < kDots.size()) {
      const uint64_t inode = (i == 0 ? directory : above).inode;
      added = attributes == Attributes::kYes
                  ? answer.AddDot(kDots[i], inode, next)
                  : answer.AddPlain(kDots[i], inode, S_IFDIR, next);
    } else {
      const ListedEntry& listed = entries[i - kDots.size()];
      name = listed.name;
      added = attributes == Attributes::kYes
                  ? answer.AddPlus(name.c_str(), listed, next)
                  : answer.AddPlain(name.c_str(),
                                    NodeTable::InodeOf(directory, name),
                                    TypeOf(listed.mode), next);
    }
    if (!added) break;
  }
  answer.Send();
}

}  // namespace

void ListDirectory(fuse_req_t request, fuse_ino_t directory, size_t size,
                   off_t offset, fuse_file_info* /*info*/) {
  Respond(request, [&](MountedFile& file) {
    List(request, file, file.NodeOf(directory), size,
         static_cast<size_t>(offset), Attributes::kNo);
  });
}

void ListDirectoryPlus(fuse_req_t request, fuse_ino_t directory, size_t size,
                       off_t offset, fuse_file_info* /*info*/) {
  Respond(request, [&](MountedFile& file) {
    List(request, file, file.NodeOf(directory), size,
         static_cast<size_t>(offset), Attributes::kYes);
  });
}

}  // namespace zpack::mount
