// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <ostream>

#include "common_options.h"
#include "zpack/pack_reader.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

void AddOptions(po::options_description& options) {
  options.add_options()("symref", "also show what symbolic refs point at")(
      "dereference,d", "also show what tags finally point at, as '<ref>^{}'");
  AddJsonOption(options);
}

void PrintText(const RefsSnapshot& refs, bool symref, bool dereference,
               std::ostream& out) {
  if (symref && !refs.head_symref.empty()) {
    out << "ref: " << refs.head_symref << " HEAD\n";
  }
  const ObjectId head = refs.Resolve("HEAD");
  if (!head.empty()) out << head.ToHex() << " HEAD\n";
  for (const Ref& ref : refs.refs) {
    if (symref && ref.symbolic()) {
      out << "ref: " << ref.symref_target << ' ' << ref.name << '\n';
    }
    const ObjectId target = refs.Resolve(ref.name);
    if (!target.empty()) out << target.ToHex() << ' ' << ref.name << '\n';
    if (dereference && !ref.peeled.empty()) {
      out << ref.peeled.ToHex() << ' ' << ref.name << "^{}\n";
    }
  }
}

Json ToJson(const RefsSnapshot& refs) {
  Json head = Json::object();
  if (!refs.head_symref.empty()) SetBytes(head, "symref", refs.head_symref);
  const ObjectId head_target = refs.Resolve("HEAD");
  if (!head_target.empty()) head["target"] = head_target.ToHex();
  Json list = Json::array();
  for (const Ref& ref : refs.refs) {
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

int Run(const po::variables_map& values, const Io& io) {
  const auto refs = ReadRefs(Text(values, "file"), ReadOptions{});
  if (!refs) return Fail(io, refs.error());
  if (Has(values, "json")) {
    PrintJson(ToJson(*refs), io.out);
  } else {
    PrintText(*refs, Has(values, "symref"), Has(values, "dereference"), io.out);
  }
  return kDone;
}

}  // namespace

const Command kListRefsCommand = {"list-refs",
                                  "List the refs in a .zpack file",
                                  "[--symref] [--dereference] [--json] <file>",
                                  {"file"},
                                  0,
                                  {},
                                  false,
                                  AddOptions,
                                  Run};

}  // namespace zpack::cli
