// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Serves a .zpack file to Git clients, in the place of git-upload-pack(1): any
// Git that fetches from a repository can fetch from the file. The protocol is
// that of gitprotocol-pack(5), gitprotocol-v2(5) and
// gitprotocol-capabilities(5). Functions without state; any thread.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// The bytes that the client sends. Used by one thread at a time.
class ServeInput {
 public:
  virtual ~ServeInput() = default;

  // Waits for bytes, fills the front of `out`, and returns their number. 0
  // means the end of the input. An error ends the connection.
  virtual Result<size_t> Read(std::span<uint8_t> out) = 0;
};

// The bytes that are sent to the client. Used by one thread at a time.
class ServeOutput {
 public:
  virtual ~ServeOutput() = default;

  // Sends all of `bytes`. An error ends the connection.
  virtual Status Write(std::span<const uint8_t> bytes) = 0;
};

// Decompresses a body with the HTTP header 'Content-Encoding: gzip'. `input`
// must outlive the result. Read returns kInvalidArgument if the input is not a
// valid gzip stream (RFC 1952), and kLimitExceeded if more than 1 MiB comes out
// of it, and more than 100 times what went in.
std::unique_ptr<ServeInput> Gunzip(ServeInput& input);

enum class ServeProtocol : uint8_t { kV0, kV1, kV2 };

// The highest version that the client offers. `git_protocol` is the value of
// GIT_PROTOCOL or of the HTTP header Git-Protocol, for example "version=2".
// kV0 if it names no known version.
ServeProtocol ParseServeProtocol(std::string_view git_protocol);

// The part of the conversation that one call of UploadPack holds.
enum class Exchange : uint8_t {
  // All of it, over one connection (pipe, ssh).
  kConnection,
  // The refs (protocol v0) or the capabilities (v2) only: an HTTP GET of
  // info/refs.
  kAdvertisement,
  // One request and its answer: an HTTP POST.
  kRequest,
};

// Objects that a client of protocol v0 may ask for, besides what the listed
// refs point at. Clients of protocol v2 may ask for any object, as with Git.
struct WantsAllowed {
  bool tip = false;        // what hidden refs point at
  bool reachable = false;  // what refs reach, hidden ones included
  bool any = false;        // every object in the file
};

// What git-config(1) sets for git-upload-pack. Git's own default is false for
// allow_filter, allow_ref_in_want, advertise_object_info and `wants.any`. A
// file is served to be read: without filters a partial clone is a whole one,
// and without `wants.any` a partial clone of protocol v0 cannot fetch what it
// lacks.
struct UploadPackSettings {
  bool allow_filter = true;             // uploadpack.allowFilter
  bool allow_ref_in_want = true;        // uploadpack.allowRefInWant
  bool advertise_sideband_all = false;  // uploadpack.advertiseSidebandAll
  bool advertise_object_info = true;    // transfer.advertiseObjectInfo
  // transfer.advertiseSID. A random text, if sessions have ids.
  std::string session_id;
  // lsrefs.unborn: whether clients may ask for an unborn HEAD, and whether the
  // server says so.
  bool allow_unborn = true;
  bool advertise_unborn = true;
  WantsAllowed wants = {.any = true};  // uploadpack.allow...SHA1InWant
  // uploadpack.hideRefs and transfer.hideRefs, in the order in which Git reads
  // them.
  std::vector<std::string> hidden_refs;
  // GIT_NAMESPACE (gitnamespaces(7)), as what the full names of the refs begin
  // with that are shown, and shown without it: for 'a/b',
  // "refs/namespaces/a/refs/namespaces/b/". Empty for all refs.
  std::string ref_namespace;
  // uploadpackfilter.*: the filters that clients may not use, by the names that
  // the configuration has for them: "blob:none", "blob:limit", "tree",
  // "object:type", "combine".
  std::vector<std::string> banned_filters;
  std::optional<uint64_t> max_tree_depth;  // uploadpackfilter.tree.maxDepth
  // Time without output after which an empty packet shows that the server is
  // alive; 0 for never (uploadpack.keepAlive).
  std::chrono::seconds keep_alive{5};
};

// Reads the settings from Git's configuration: that of the system, of the user,
// and of the environment ('git -c', GIT_NAMESPACE). A .zpack file has no
// configuration. If there is a namespace, or the configuration has one of
// uploadpack.allow...SHA1InWant, hides refs or turns off filters, `wants.any`
// is false unless the configuration sets it.
//
// Errors: kGit for an invalid value or a malformed file; kIo.
Result<UploadPackSettings> ReadUploadPackSettings();

enum class AllowUrls : uint8_t { kNo, kYes };

struct UploadPackOptions {
  RunOptions run;  // `progress` is not used: progress goes to the client
  ReadOptions read;
  ServeProtocol protocol = ServeProtocol::kV0;
  Exchange exchange = Exchange::kConnection;
  UploadPackSettings settings;
  // Whether `path` may be a URL. A server must not let its clients choose what
  // the server requests, so kNo is the default.
  AllowUrls urls = AllowUrls::kNo;
  // Opens `path` and the files beside it on which it depends, in place of the
  // function of the system, and returns a descriptor that UploadPack closes.
  // Called for names that the file states, so that a server can refuse what is
  // not for its clients: kNotFound if there is no such regular file.
  std::function<Result<int>(const std::string& path)> open = {};
};

// Serves the file `path` to one client. Every object is hashed before it is
// sent. Errors that the client should know are sent to it as Git sends them,
// and returned as well.
//
// Errors: those of ArchiveReader::Open; kUnsupported if the file is of a
// partial clone and lacks promised objects; kInvalidArgument if the client
// violates the protocol or asks for something that it may not have; kCorrupt if
// an object that the client needs is damaged or missing; kLimitExceeded if the
// request is too large; kInterrupted; and the errors of `input` and `output`.
Status UploadPack(const std::string& path, const UploadPackOptions& options,
                  ServeInput& input, ServeOutput& output);

}  // namespace zpack
