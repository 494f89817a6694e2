// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "restore/bundle_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ostream>
#include <set>
#include <span>
#include <string_view>

#include "packet_size.h"
#include "zpack/quote.h"
#include "zpack/serve.h"

namespace zpack::cli {
namespace {

// What a client would send.
class TextInput final : public ServeInput {
 public:
  explicit TextInput(std::string text) : text_(std::move(text)) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    const size_t size = std::min(out.size(), text_.size() - next_);
    std::memcpy(out.data(), text_.data() + next_, size);
    next_ += size;
    return size;
  }

 private:
  std::string text_;
  size_t next_ = 0;
};

// Writes the pack of an answer to a stream.
class PackOutput final : public ServeOutput {
 public:
  explicit PackOutput(NamedOutput out) : out_(std::move(out)) {}

  Status Write(std::span<const uint8_t> bytes) override {
    waiting_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    size_t begin = 0;
    while (true) {
      const std::string_view rest = std::string_view(waiting_).substr(begin);
      if (rest.size() < kPacketLengthSize) break;
      const size_t size = PacketSize(rest.substr(0, kPacketLengthSize));
      if (size == 0 || size > rest.size()) break;
      Take(rest.substr(kPacketLengthSize, size - kPacketLengthSize));
      begin += size;
    }
    waiting_.erase(0, begin);
    if (!out_.stream) return std::unexpected(out_.Failure());
    return {};
  }

  // Of the pack; 0 before its header was written.
  uint64_t object_count() const {
    if (head_.size() < kHeadSize) return 0;
    uint64_t count = 0;
    for (const char c : head_.substr(kHeadSize - 4)) {
      count = count << 8 | static_cast<unsigned char>(c);
    }
    return count;
  }

 private:
  static constexpr size_t kHeadSize = 12;

  // Takes a packet. The first byte of those in the section of the pack is the
  // band, and 1 is that of the pack.
  void Take(std::string_view packet) {
    if (!in_pack_) {
      in_pack_ = packet == "packfile\n";
      return;
    }
    if (!packet.starts_with('\1')) return;
    packet.remove_prefix(1);
    if (head_.size() < kHeadSize) {
      head_ += packet.substr(0, kHeadSize - head_.size());
    }
    out_.stream.write(packet.data(),
                      static_cast<std::streamsize>(packet.size()));
  }

  NamedOutput out_;
  std::string waiting_;  // the beginning of a packet
  std::string head_;     // of the pack
  bool in_pack_ = false;
};

std::string Packet(std::string_view text) {
  return fmt::format("{:04x}{}", text.size() + kPacketLengthSize, text);
}

// The request of a clone that wants these objects.
std::string Request(ObjectFormat format, const std::set<ObjectId>& wants) {
  std::string text = Packet("command=fetch\n");
  text += Packet(fmt::format("object-format={}\n", ObjectFormatName(format)));
  text += "0001";
  text += Packet("no-progress\n") + Packet("ofs-delta\n");
  for (const ObjectId& id : wants) {
    text += Packet(fmt::format("want {}\n", id.ToHex()));
  }
  return text + Packet("done\n") + "0000";
}

// The lines before the pack, and in `wants` the objects of the refs.
Result<std::string> BundleHeader(const ArchiveReader& reader,
                                 std::set<ObjectId>& wants, std::ostream& err) {
  const bool sha1 = reader.object_format() == ObjectFormat::kSha1;
  std::string text = sha1 ? "# v2 git bundle\n" : "# v3 git bundle\n";
  if (!sha1) {
    text += fmt::format("@object-format={}\n",
                        ObjectFormatName(reader.object_format()));
  }
  const auto add = [&](const std::string& name) -> Status {
    const ObjectId id = reader.refs().Resolve(name);
    if (id.empty()) return {};
    const auto exists = reader.Contains(id);
    if (!exists) return std::unexpected(exists.error());
    if (!*exists) {
      err << fmt::format(
          "warning: not included: '{}', whose object {} is not "
          "in the file\n",
          QuoteName(name, kMaxNameInMessage), id.ToHex());
      return {};
    }
    wants.insert(id);
    text += fmt::format("{} {}\n", id.ToHex(), name);
    return {};
  };
  for (const Ref& ref : reader.refs().refs) {
    if (Status added = add(ref.name); !added) {
      return std::unexpected(std::move(added).error());
    }
  }
  if (Status added = add("HEAD"); !added) {
    return std::unexpected(std::move(added).error());
  }
  return text + '\n';
}

}  // namespace

Result<uint64_t> WriteBundle(const std::string& path,
                             const ArchiveReader& reader,
                             const RestoreOptions& options,
                             const NamedOutput& out, std::ostream& err) {
  if (!reader.refs().shallow.empty()) {
    return std::unexpected(
        Error{ErrorCode::kUnsupported,
              fmt::format("'{}' is of a shallow repository, which a bundle "
                          "cannot hold; restore it to a directory",
                          QuoteName(path, kMaxNameInMessage))});
  }
  std::set<ObjectId> wants;
  const auto header = BundleHeader(reader, wants, err);
  if (!header) return std::unexpected(header.error());
  out.stream << *header;
  if (wants.empty()) {
    return std::unexpected(
        Error{ErrorCode::kNotFound,
              fmt::format(
                  "refusing to create an empty bundle: no ref of '{}' names an "
                  "object in it",
                  QuoteName(path, kMaxNameInMessage))});
  }
  UploadPackOptions serve;
  serve.run = options.run;
  serve.run.progress = nullptr;
  serve.read = options.read;
  serve.protocol = ServeProtocol::kV2;
  serve.exchange = Exchange::kRequest;
  serve.settings.keep_alive = std::chrono::seconds(0);
  serve.urls = AllowUrls::kYes;
  TextInput input(Request(reader.object_format(), wants));
  PackOutput output(out);
  const Status served = UploadPack(path, serve, input, output);
  if (!served) return std::unexpected(served.error());
  return output.object_count();
}

}  // namespace zpack::cli
