// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "common_options.h"
#include "exec/remote_location.h"
#include "read/ref_patterns.h"
#include "several_files.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace list_refs_command {
namespace {

using Json = nlohmann::ordered_json;

void AddOptions(po::options_description& options) {
  options.add_options()("symref", "also show the targets of symbolic refs")(
      "dereference,d", "also show the peeled objects of tags, as '<ref>^{}'")(
      "fingerprint",
      "show only the SHA-1 of what 'git show-ref' prints, as in manifests of "
      "grokmirror");
  AddReadingOptions(options);
  AddJsonOption(options);
}

// Returns the ref with an id at the end of a chain of symbolic refs, or null.
const Ref* Direct(const RefsSnapshot& refs, const Ref* ref) {
  // RefsSnapshot::Resolve limits the length of the chain.
  if (ref == nullptr || refs.Resolve(ref->name).empty()) return nullptr;
  while (ref->symbolic()) ref = refs.Find(ref->symref_target);
  return ref;
}

// How to print, and which refs: with patterns, those that match one.
struct Selection {
  bool symref = false;
  bool dereference = false;
  std::vector<std::string> patterns;

  bool Takes(std::string_view name) const {
    if (patterns.empty()) return true;
    // No glob stands for HEAD, which git for-each-ref does not list.
    if (name == "HEAD") {
      return std::ranges::find(patterns, name) != patterns.end();
    }
    return MatchesRefPattern(name, patterns);
  }
};

void PrintText(const RefsSnapshot& refs, const Selection& selection,
               std::ostream& out) {
  const auto print = [&](std::string_view name, const std::string& symbolic,
                         const ObjectId& target, const Ref* direct) {
    if (!selection.Takes(name)) return;
    if (selection.symref && !symbolic.empty()) {
      // The end of the chain, as 'git ls-remote --symref' prints it.
      const std::string_view last = refs.ResolveName(name);
      out << "ref: " << (last.empty() ? symbolic : last) << ' ' << name << '\n';
    }
    if (!target.empty()) out << target.ToHex() << ' ' << name << '\n';
    if (selection.dereference && direct != nullptr && !direct->peeled.empty()) {
      out << direct->peeled.ToHex() << ' ' << name << "^{}\n";
    }
  };
  print("HEAD", refs.head_symref, refs.Resolve("HEAD"),
        Direct(refs, refs.Find(refs.head_symref)));
  for (const Ref& ref : refs.refs) {
    print(ref.name, ref.symref_target, refs.Resolve(ref.name),
          Direct(refs, &ref));
  }
}

Json ToJson(const RefsSnapshot& refs, const Selection& selection) {
  Json head = Json::object();
  if (!refs.head_symref.empty()) SetBytes(head, "symref", refs.head_symref);
  const ObjectId head_target = refs.Resolve("HEAD");
  if (!head_target.empty()) head["target"] = head_target.ToHex();
  Json list = Json::array();
  for (const Ref& ref : refs.refs) {
    if (!selection.Takes(ref.name)) continue;
    Json row = Json::object();
    SetBytes(row, "name", ref.name);
    if (ref.symbolic()) {
      SetBytes(row, "symref", ref.symref_target);
    } else {
      row["target"] = ref.target.ToHex();
    }
    if (!ref.peeled.empty()) row["peeled"] = ref.peeled.ToHex();
    list.push_back(std::move(row));
  }
  Json shallow = Json::array();
  for (const ObjectId& id : refs.shallow) shallow.push_back(id.ToHex());
  return {{"head", head}, {"refs", list}, {"shallow", shallow}};
}

// The arguments of the command.
struct Arguments {
  std::vector<std::string> files;
  std::vector<std::string> patterns;
};

// Takes an argument for another file if it ends in '.zpack' and there is such a
// file, or if it is a URL. A pattern that looks like that can be given after
// '--', with all other patterns.
Arguments ArgumentsOf(const po::variables_map& values) {
  Arguments arguments;
  arguments.files.push_back(Text(values, "file"));
  for (const std::string& text : Texts(values, "pattern")) {
    std::error_code ignored;
    const bool is_file =
        IsUrlOfHttp(text) || (text.ends_with(".zpack") &&
                              std::filesystem::is_regular_file(text, ignored));
    auto& list = is_file ? arguments.files : arguments.patterns;
    list.push_back(text);
  }
  return arguments;
}

void PrintRefs(const RefsSnapshot& refs, const Selection& selection,
               bool fingerprint, std::ostream& out) {
  if (!fingerprint) {
    PrintText(refs, selection, out);
    return;
  }
  const std::string text = refs.Fingerprint();
  if (!text.empty()) out << text << '\n';
}

// Prints the refs of each file below the name of the file, as ls(1) does with
// several directories.
int RunSeveral(const std::vector<InputFile>& files, const Selection& selection,
               const po::variables_map& values, const Io& io) {
  const ReadContext read(values, io);
  SeveralFiles all(io);
  for (const InputFile& file : files) {
    const auto refs = ReadRefs(file.path, read.options());
    if (!refs) {
      all.AddFailure(file.name, refs.error());
      continue;
    }
    if (io.json) {
      all.Add({.name = file.name}, ToJson(*refs, selection), kDone);
      continue;
    }
    if (&file != files.data()) io.out << '\n';
    io.out << QuoteName(file.name) << ":\n";
    PrintRefs(*refs, selection, Has(values, "fingerprint"), io.out);
  }
  return io.json ? all.Finish() : all.code();
}

int Run(const po::variables_map& values, const Io& io) {
  const Arguments arguments = ArgumentsOf(values);
  const Selection selection{.symref = Has(values, "symref"),
                            .dereference = Has(values, "dereference"),
                            .patterns = arguments.patterns};
  if (Has(values, "fingerprint") && !selection.patterns.empty()) {
    throw UsageError{"option '--fingerprint' takes no patterns"};
  }
  const std::vector<InputFile> files = FilesToRead(arguments.files);
  if (files.size() > 1) return RunSeveral(files, selection, values, io);
  const auto refs =
      ReadRefs(files.front().path, ReadContext(values, io).options());
  if (!refs) return Fail(io, refs.error());
  if (Has(values, "json")) {
    PrintJson(ToJson(*refs, selection), io.out);
  } else {
    PrintRefs(*refs, selection, Has(values, "fingerprint"), io.out);
  }
  return kDone;
}

}  // namespace
}  // namespace list_refs_command

const Command kListRefsCommand = {"list-refs",
                                  "List the refs in a .zpack file",
                                  "[--symref] [--dereference] [--fingerprint] "
                                  "[--download] [--json] <file>... "
                                  "[<pattern>...]",
                                  {"file", "pattern"},
                                  1,
                                  LastArgument::kRepeated,
                                  {},
                                  false,
                                  list_refs_command::AddOptions,
                                  list_refs_command::Run};

}  // namespace zpack::cli
