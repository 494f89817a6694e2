// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/memory_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.h"
#include "object/id_sets.h"
#include "object/object_hasher.h"
#include "support/repo_builder.h"

namespace zpack::testing {
namespace {

class MemoryStream final : public ObjectStream {
 public:
  MemoryStream(const MemorySource::Object& object)
      : info_{object.type, object.content.size()}, rest_(object.content) {}
  const ObjectInfo& info() const override { return info_; }
  Status Read(std::span<uint8_t> out) override {
    if (out.size() > rest_.size()) {
      return MakeError(ErrorCode::kSourceCorrupt, "object ends too early");
    }
    std::ranges::copy(AsBytes(rest_.substr(0, out.size())), out.begin());
    rest_.remove_prefix(out.size());
    return {};
  }

 private:
  ObjectInfo info_;
  std::string_view rest_;
};

class MemoryFileStream final : public FileStream {
 public:
  explicit MemoryFileStream(std::string_view content) : rest_(content) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    const size_t size =
        rest_.copy(reinterpret_cast<char*>(out.data()), out.size());
    rest_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view rest_;
};

class MemorySourceView final : public ObjectSource {
 public:
  explicit MemorySourceView(MemorySource& repository)
      : repository_(repository) {}

  const std::string& path() const override { return path_; }
  ObjectFormat object_format() const override { return ObjectFormat::kSha1; }
  Result<ObjectIdTable> ListObjects() override {
    Bytes ids;
    for (const auto& [id, object] : repository_.objects()) {
      Append(ids, id.bytes());
    }
    return ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(ids));
  }
  Result<ObjectInfo> ReadInfo(const ObjectId& id) override {
    ZPACK_ASSIGN_OR_RETURN(const auto* object, Find(id));
    return ObjectInfo{object->type, object->content.size()};
  }
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) override {
    ZPACK_ASSIGN_OR_RETURN(const auto* object, Find(id));
    content.clear();
    Append(content, AsBytes(object->content));
    return object->type;
  }
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override {
    ZPACK_ASSIGN_OR_RETURN(const auto* object, Find(id));
    return std::make_unique<MemoryStream>(*object);
  }
  Result<RefsSnapshot> ReadRefs() override { return repository_.refs; }
  Result<std::vector<TipGroup>> ListOtherTips() override {
    return std::vector<TipGroup>{
        {"tips", repository_.other_rule, repository_.other_tips}};
  }
  Result<ListedFiles> ListFiles(
      std::span<const std::string> /*others*/) override {
    ListedFiles listed;
    for (const auto& [name, content] : repository_.files) {
      const auto group = std::ranges::find_if(
          kAllFileGroups,
          [&](FileGroup each) { return IsValidFileName(each, name); });
      if (group == kAllFileGroups.end()) std::abort();
      listed.files.push_back(
          {*group, name, name, *group == FileGroup::kHooks, content.size()});
    }
    return listed;
  }
  Result<std::unique_ptr<FileStream>> OpenFile(
      const ListedFile& file) override {
    return std::make_unique<MemoryFileStream>(repository_.files.at(file.name));
  }
  uint64_t PackedBytes() override { return 0; }
  bool IsPartialClone() override { return repository_.partial_clone; }
  Result<PromisorRemotes> ReadPromisorRemotes() override {
    return PromisorRemotes{repository_.promisor_remotes, {}};
  }
  Result<ObjectIdTable> ListPromisorObjects() override {
    if (repository_.promisor_remotes.empty()) return ObjectIdTable();
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable all, ListObjects());
    Bytes ids;
    for (const ObjectId& id : repository_.own) Append(ids, id.bytes());
    ZPACK_ASSIGN_OR_RETURN(
        const ObjectIdTable own,
        ObjectIdTable::FromSorted(ObjectFormat::kSha1, std::move(ids)));
    return Without(all, own);
  }

 private:
  Result<const MemorySource::Object*> Find(const ObjectId& id) const {
    const auto at = repository_.objects().find(id);
    if (at == repository_.objects().end()) {
      return MakeError(ErrorCode::kNotFound, "no object {}", id.ToHex());
    }
    return &at->second;
  }

  MemorySource& repository_;
  std::string path_ = "memory";
};

}  // namespace

ObjectId MemorySource::Add(ObjectType type, std::string_view content) {
  const ObjectId id =
      ObjectHasher(ObjectFormat::kSha1).Hash(type, AsBytes(content));
  AddAs(id, type, content);
  return id;
}

void MemorySource::AddAs(const ObjectId& id, ObjectType type,
                         std::string_view content) {
  objects_[id] = {type, std::string(content)};
}

ObjectId MemorySource::AddTree(const std::vector<Entry>& entries) {
  std::string content;
  for (const Entry& entry : entries) {
    content += entry.mode + ' ' + entry.name + '\0';
    content += AsText(entry.id.bytes());
  }
  return Add(ObjectType::kTree, content);
}

ObjectId MemorySource::AddCommit(const ObjectId& tree,
                                 const std::vector<ObjectId>& parents,
                                 uint64_t time, std::string_view message) {
  std::string content = "tree " + tree.ToHex() + '\n';
  for (const ObjectId& parent : parents) {
    content += "parent " + parent.ToHex() + '\n';
  }
  const std::string who =
      fmt::format("A U Thor <author@example.com> {} +0000\n", time);
  content += "author " + who + "committer " + who + '\n';
  content += message;
  return Add(ObjectType::kCommit, content);
}

ObjectId MemorySource::AddTag(const ObjectId& target, ObjectType type,
                              std::string_view name) {
  return Add(ObjectType::kTag,
             fmt::format("object {}\ntype {}\ntag {}\ntagger A U Thor "
                         "<author@example.com> 1 +0000\n\n{}\n",
                         target.ToHex(), ObjectTypeName(type), name, name));
}

void MemorySource::AddRef(Ref ref) {
  refs.refs.push_back(std::move(ref));
  std::ranges::sort(refs.refs, {}, &Ref::name);
}

std::unique_ptr<ObjectSource> MemorySource::Open() {
  return std::make_unique<MemorySourceView>(*this);
}

std::map<std::string, std::string> SampleFiles() {
  const std::string content = "an object of Git LFS\n";
  return {{"config", "[a \"b\"]\n\tc = https://u:p@h/\n"},
          {"description", "a sample\n"},
          {"hooks/pre-commit", "#!/bin/sh\n"},
          {"info/exclude", "*.o\n"},
          {LfsName(content), content},
          {"logs/HEAD", std::string(5000, 'x') + '\n'},
          {"logs/refs/stash", ""},
          {"objects/info/alternates", "../x\n"},
          {"svn/metadata", "revision 1\n"},
          {"worktrees/side/HEAD", "ref: refs/heads/side\n"},
          {"worktrees/side/gitdir", "/x/.git\n"}};
}

MemorySource SampleHistory(int commits) {
  MemorySource source;
  std::vector<ObjectId> parents;
  std::string text = "first line\n";
  for (int i = 0; i < commits; ++i) {
    text += fmt::format("line {} of a file that grows\n", i);
    const ObjectId readme = source.AddBlob(text);
    const ObjectId code = source.AddBlob(fmt::format("int x = {};\n", i / 3));
    const ObjectId sub = source.AddTree({{"100644", "code.c", code}});
    const ObjectId tree =
        source.AddTree({{"100644", "README", readme}, {"40000", "src", sub}});
    parents = {source.AddCommit(tree, parents, 1000 + static_cast<uint64_t>(i),
                                fmt::format("commit {}\n", i))};
  }
  source.refs.head_symref = "refs/heads/main";
  if (!parents.empty()) {
    const ObjectId tag = source.AddTag(parents[0], ObjectType::kCommit, "v1");
    source.AddRef({"refs/heads/main", parents[0], {}, ""});
    source.AddRef({"refs/heads/other", parents[0], {}, ""});
    source.AddRef({"refs/remotes/origin/HEAD", {}, {}, "refs/heads/main"});
    source.AddRef({"refs/tags/v1", tag, parents[0], ""});
  }
  return source;
}

MemorySource WideHistory(int commits) {
  constexpr int kFiles = 60;
  MemorySource source;
  std::vector<ObjectId> parents;
  std::vector<std::string> texts(kFiles);
  for (int i = 0; i < kFiles; ++i) {
    for (int line = 0; line < 40; ++line) {
      texts[i] += fmt::format("file {}, line {}\n", i, line * line + i);
    }
  }
  for (int i = 0; i < commits; ++i) {
    texts[i % 2] += fmt::format("added by commit {}\n", i);
    std::vector<MemorySource::Entry> entries;
    for (int file = 0; file < kFiles; ++file) {
      entries.push_back(
          {"100644", fmt::format("f{:02}", file), source.AddBlob(texts[file])});
    }
    const ObjectId sub = source.AddTree(entries);
    entries.push_back({"40000", "sub", sub});
    parents = {source.AddCommit(source.AddTree(entries), parents,
                                1000 + static_cast<uint64_t>(i),
                                fmt::format("commit {}\n", i))};
  }
  source.refs.head_symref = "refs/heads/main";
  source.AddRef({"refs/heads/main", parents[0], {}, ""});
  return source;
}

MemorySource SamplePartialClone() {
  MemorySource source = SampleHistory(4);
  const auto all = source.objects();
  size_t blobs = 0;
  for (const auto& [id, object] : all) {
    if (object.type == ObjectType::kBlob && ++blobs % 3 != 0) source.Remove(id);
  }
  source.partial_clone = true;
  source.promisor_remotes = {
      {"origin", "https://example.com/project.git", "blob:none"}};
  return source;
}

std::vector<std::string> SampleVersions() {
  std::array<std::string, 3> parts;
  for (size_t i = 0; i < 30; ++i) {
    parts[i % parts.size()] += fmt::format("line {}\n", i * i * 1237);
  }
  const auto& [a, b, c] = parts;
  return {a + b + c, a + "one\n" + b + "two\n" + c, c + a + "three\n" + b,
          a + c + c + b + "end\n"};
}

}  // namespace zpack::testing
