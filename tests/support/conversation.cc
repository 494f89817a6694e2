// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "serve/upload_session.h"

namespace zpack::testing {
namespace {

class TextInput final : public ServeInput {
 public:
  explicit TextInput(std::string_view text) : text_(text) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    const size_t size = std::min(out.size(), text_.size());
    std::copy_n(text_.begin(), size, out.begin());
    text_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view text_;
};

class TextOutput final : public ServeOutput {
 public:
  Status Write(std::span<const uint8_t> bytes) override {
    text_ += AsText(bytes);
    return {};
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

// Takes the next packet off `answer`. Special packets and errors have the text
// that Packets gives them.
std::string TakePacket(std::string_view& answer) {
  size_t size = 0;
  const auto parsed = std::from_chars(
      answer.data(), answer.data() + std::min<size_t>(4, answer.size()), size,
      16);
  if (answer.size() < 4 || parsed.ptr != answer.data() + 4 ||
      size > answer.size() || size == 2 || size == 3) {
    answer = {};
    return "bad";
  }
  const std::string_view line =
      size < 4 ? std::string_view() : answer.substr(4, size - 4);
  answer.remove_prefix(std::max<size_t>(size, 4));
  if (size == 0) return "flush";
  if (size == 1) return "delimiter";
  return std::string(line);
}

}  // namespace

std::string Pkt(std::string_view line) {
  return fmt::format("{:04x}{}", line.size() + 4, line);
}

std::string RequestV2(std::string_view command,
                      const std::vector<std::string>& arguments) {
  std::string request = Pkt(fmt::format("command={}\n", command));
  request += Pkt("object-format=sha1");
  request += kDelimiterPkt;
  for (const std::string& argument : arguments) request += Pkt(argument + '\n');
  request += kFlushPkt;
  return request;
}

std::vector<std::string> Packets(std::string_view answer) {
  std::vector<std::string> packets;
  while (!answer.empty()) {
    std::string packet = TakePacket(answer);
    if (packet.starts_with('\1')) continue;
    if (packet.ends_with('\n')) packet.pop_back();
    packets.push_back(std::move(packet));
  }
  return packets;
}

std::string PackIn(std::string_view answer) {
  std::string pack;
  while (!answer.empty()) {
    const std::string packet = TakePacket(answer);
    if (packet.starts_with('\1')) pack += packet.substr(1);
  }
  return pack;
}

uint32_t ObjectsIn(std::string_view pack) {
  if (pack.size() < 12 || !pack.starts_with("PACK")) return 0;
  return LoadBigEndian<uint32_t>(AsBytes(pack).data() + 8);
}

Answer Converse(const ArchiveFile& archive, const UploadPackOptions& options,
                std::string_view request) {
  TextInput input(request);
  TextOutput output;
  Status status = RunUploadSession(archive, options, input, output);
  return {std::move(status), std::move(output).text()};
}

}  // namespace zpack::testing
