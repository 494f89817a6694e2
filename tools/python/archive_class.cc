// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// zpack.Archive. Whatever takes time runs without the interpreter's lock.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "file_path.h"
#include "initialised_caster.h"
#include "interpreter_lock.h"
#include "log_class.h"
#include "module_parts.h"
#include "object_iterator.h"
#include "python_errors.h"
#include "python_text.h"
#include "reading.h"
#include "search_class.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::python {
namespace {

namespace py = pybind11;

py::str TypeOf(ObjectType type) { return TextOf(ObjectTypeName(type)); }

struct RefView {
  Ref ref;
};

struct Walked {
  ObjectId id;
  ObjectType type;
  std::string name;
};

pid_t first_process = 0;

// The interpreter has ended, and other threads are still reading. They must not
// meet what the process destroys next. None of them can be one that waits for
// the interpreter's lock: such a thread reads nothing.
void EndReading() {
  constexpr std::chrono::seconds kPatience(10);
  if (getpid() != first_process) return;  // Forked: the threads are not here.
  StopIterators();
  Users::StopAllReading();
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (Users::All() != 0 && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class PythonArchive {
 public:
  PythonArchive(std::string path, uint64_t cache_size,
                std::vector<std::string> backing)
      : path_(std::move(path)) {
    options_.cache_size = cache_size;
    options_.backing = std::move(backing);
    archive_ = Open();
  }

  // What is being read in other threads, and iterators, keep the file open.
  void Close() { archive_.reader.reset(); }

  // For as long as the caller uses it, whoever closes the archive meanwhile.
  // After a signal has stopped what was read from a server, opens it again.
  OpenArchive opened() const {
    const OpenArchive before = archive_;
    if (!before.reader) throw py::value_error("the archive is closed");
    if (!before.is_remote || !before.users->stop().stop_requested()) {
      return before;
    }
    OpenArchive again = Open();
    if (again.reader->file_hash() != before.reader->file_hash()) {
      Raise({.code = ErrorCode::kIo,
             .message = "the file changed after a signal stopped a read; open "
                        "the archive again",
             .path = path_});
    }
    if (archive_.reader) archive_ = again;
    return again;
  }
  std::shared_ptr<ArchiveReader> reader() const { return opened().reader; }

  py::str path() const { return TextOf(path_); }
  py::str object_format() const {
    return TextOf(ObjectFormatName(reader()->object_format()));
  }
  uint32_t size() const { return reader()->object_count(); }

  std::pair<uint64_t, uint64_t> ReadCostSoFar() const {
    const ReadCost cost = reader()->read_cost();
    return {cost.blocks, cost.bytes};
  }

  RefView head() const {
    const RefsSnapshot& refs = reader()->refs();
    return {{"HEAD", refs.head_target, {}, refs.head_symref}};
  }
  py::dict refs() const {
    const auto reader = this->reader();
    py::dict all;
    for (const Ref& ref : reader->refs().refs) {
      all[TextOf(ref.name)] = RefView{ref};
    }
    return all;
  }

  py::str Resolve(const py::str& name) const {
    return py::str(Id(name).ToHex());
  }

  bool Contains(const py::str& name) const {
    const std::string bytes = BytesOf(name);
    return Ask([&](ArchiveReader& reader, Unlocked&) -> Result<bool> {
      if (const auto id = ObjectId::FromHex(bytes)) return reader.Contains(*id);
      const auto named = reader.Resolve(bytes);
      if (named) return reader.Contains(*named);
      if (named.error().code == ErrorCode::kNotFound) return false;
      return std::unexpected(named.error());
    });
  }

  py::tuple Info(const py::str& name) const {
    const ObjectId id = Id(name);
    const ObjectInfo info = Ask(
        [&](ArchiveReader& reader, Unlocked&) { return reader.ReadInfo(id); });
    return py::make_tuple(TypeOf(info.type), info.size);
  }

  std::unique_ptr<ReadObject> Read(const py::str& name) const {
    const ObjectId id = Id(name);
    Object object =
        Ask([&](ArchiveReader& reader, Unlocked&) { return reader.Read(id); });
    const uint64_t size = object.content.size();
    return std::make_unique<ReadObject>(
        ReadObject{id, object.type, size, std::move(object.content)});
  }

  std::vector<std::string> Ids() const {
    std::vector<std::string> ids;
    Ask([&](ArchiveReader& reader, Unlocked& unlocked) {
      ids.clear();
      return reader.ForEachId(IdOrder::kStorage,
                              [&, clock = SignalClock()](
                                  const ObjectId& id) mutable -> Result<Visit> {
                                ids.push_back(id.ToHex());
                                return NextVisit(unlocked, clock);
                              });
    });
    return ids;
  }

  OwnedIterator<ReadObject> Objects(unsigned threads,
                                    uint64_t max_content) const {
    BulkOptions options;
    options.threads = threads;
    options.max_content = max_content;
    const OpenArchive archive = opened();
    CheckProcess(*archive.users);
    return ReadAhead(archive.reader, options, archive.users);
  }

  py::object SearchTree(const py::str& name, const py::dict& values) const {
    const ObjectId id = Id(name);
    const OpenArchive archive = opened();
    CheckProcess(*archive.users);
    return MakeTreeSearch(archive.reader, archive.users, id, values);
  }
  py::object SearchHistory(const py::dict& values) const {
    const OpenArchive archive = opened();
    CheckProcess(*archive.users);
    return MakeHistorySearch(archive.reader, archive.users, values);
  }
  py::object SearchVersions(const py::dict& values) const {
    const OpenArchive archive = opened();
    CheckProcess(*archive.users);
    return MakeVersionSearch(archive.reader, archive.users, values);
  }

  py::object Log(const py::dict& values) const {
    const OpenArchive archive = opened();
    CheckProcess(*archive.users);
    return MakeLog(archive.reader, archive.users, values);
  }

  py::list Walk(const std::vector<py::str>& starts, bool objects) const {
    WalkOptions options;
    if (starts.empty()) options.refs = WalkRefs::kAll;
    if (objects) options.objects = WalkObjects::kAll;
    for (const py::str& start : starts) options.starts.push_back(Id(start));
    std::vector<Walked> reached;
    Ask([&](ArchiveReader& reader, Unlocked& unlocked) {
      reached.clear();
      return reader.Walk(
          options,
          [&, clock = SignalClock()](
              const WalkedObject& object) mutable -> Result<Visit> {
            reached.push_back(
                {object.id, object.type, std::string(object.name)});
            return NextVisit(unlocked, clock);
          });
    });
    py::list list;
    for (const Walked& object : reached) {
      list.append(py::make_tuple(object.id.ToHex(), TypeOf(object.type),
                                 TextOf(object.name)));
    }
    return list;
  }

  py::list Blocks() const {
    const FileDescription file =
        Ask([](ArchiveReader& reader, Unlocked&) { return reader.Describe(); });
    py::list list;
    for (const FileDescription::Block& block : file.blocks) {
      py::dict row;
      row["offset"] = block.offset;
      row["size"] = block.size;
      row["kind"] = TextOf(block.kind);
      row["type"] = TypeOf(block.type);
      row["first_object"] = block.first_object;
      row["object_count"] = block.object_count;
      list.append(std::move(row));
    }
    return list;
  }

 private:
  // What `work` answers; again if a signal to another thread stopped it.
  template <typename Work>
  std::invoke_result_t<Work, ArchiveReader&, Unlocked&>::value_type Ask(
      Work work) const {
    for (;;) {
      const OpenArchive archive = opened();
      auto answer = Reading(archive, [&](Unlocked& unlocked) {
        return work(*archive.reader, unlocked);
      });
      const bool was_stopped = !answer &&
                               answer.error().code == ErrorCode::kInterrupted &&
                               archive.users->stop().stop_requested();
      if (!was_stopped) return ValueOf(std::move(answer));
    }
  }

  ObjectId Id(const py::str& name) const {
    const std::string bytes = BytesOf(name);
    return Ask([&](ArchiveReader& reader, Unlocked&) {
      return reader.Resolve(bytes);
    });
  }

  OpenArchive Open() const {
    OpenArchive archive;
    archive.is_remote = path_.find("://") != std::string::npos;
    archive.reader = ValueOf(Reading(archive, [&](Unlocked&) {
      return ArchiveReader::Open(path_, options_, archive.users->stop());
    }));
    return archive;
  }

  std::string path_;
  ReadOptions options_;
  mutable OpenArchive archive_;
};

}  // namespace
}  // namespace zpack::python

namespace pybind11::detail {

template <>
struct type_caster<zpack::python::PythonArchive>
    : InitialisedCaster<zpack::python::PythonArchive> {};
template <>
struct type_caster<zpack::python::ReadObject>
    : InitialisedCaster<zpack::python::ReadObject> {};
template <>
struct type_caster<zpack::python::RefView>
    : InitialisedCaster<zpack::python::RefView> {};

}  // namespace pybind11::detail

namespace zpack::python {
namespace {

// The buffer protocol. Not pybind11's, which cannot fail.
int GetBuffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  py::detail::make_caster<ReadObject> caster;
  try {
    caster.load(self, false);
  } catch (const py::type_error& error) {
    error.set_error();
    return -1;
  }
  const auto& object = static_cast<const ReadObject&>(caster);
  if (!object.content) {
    PyErr_SetString(PyExc_BufferError, "the object is larger than max_content");
    return -1;
  }
  // It is read-only, although the parameter is not const.
  auto* const data = const_cast<uint8_t*>(object.content->data());
  return PyBuffer_FillInfo(view, self, data,
                           static_cast<Py_ssize_t>(object.content->size()), 1,
                           flags);
}

void SetBuffer(PyHeapTypeObject* type) {
  type->as_buffer.bf_getbuffer = GetBuffer;
  type->ht_type.tp_as_buffer = &type->as_buffer;
}

void DefineObject(py::module_& module) {
  py::class_<ReadObject>(module, "Object", py::custom_type_setup(SetBuffer),
                         "An object. bytes(object) and memoryview(object) are "
                         "its content; the second copies nothing.")
      .def_property_readonly(
          "id", [](const ReadObject& o) { return o.id.ToHex(); },
          "Id, in hexadecimal.")
      .def_property_readonly(
          "type", [](const ReadObject& o) { return TypeOf(o.type); },
          "'commit', 'tree', 'blob' or 'tag'.")
      .def_readonly("size", &ReadObject::size, "Bytes of content.")
      .def_property_readonly(
          "loaded", [](const ReadObject& o) { return o.content.has_value(); },
          "Whether the content is here; False above max_content.")
      .def("__len__", [](const ReadObject& o) { return o.size; })
      .def(
          "__eq__",
          [](const ReadObject& a, const ReadObject& b) { return a.id == b.id; },
          py::is_operator())
      .def("__hash__",
           [](const ReadObject& o) { return py::hash(py::str(o.id.ToHex())); })
      .def("__repr__", [](const ReadObject& o) {
        return "<zpack." + std::string(ObjectTypeName(o.type)) + " " +
               o.id.ToHex() + ">";
      });
  DefineIterator<ReadObject>(module, "ObjectIterator", [](ReadObject object) {
    return std::make_unique<ReadObject>(std::move(object));
  });
}

void DefineRef(py::module_& module) {
  py::class_<RefView>(module, "Ref", "A ref of an archive.")
      .def_property_readonly(
          "name", [](const RefView& r) { return TextOf(r.ref.name); },
          "Full name, or 'HEAD'.")
      .def_property_readonly(
          "target", [](const RefView& r) { return IdOrNone(r.ref.target); },
          "Id of the object that it points at; None for a symbolic ref.")
      .def_property_readonly(
          "peeled", [](const RefView& r) { return IdOrNone(r.ref.peeled); },
          "Id of the object that an annotated tag leads to, or None.")
      .def_property_readonly(
          "symbolic_target",
          [](const RefView& r) -> py::object {
            if (!r.ref.symbolic()) return py::none();
            return TextOf(r.ref.symref_target);
          },
          "Name of the ref that a symbolic ref points at, or None.")
      .def(
          "__eq__",
          [](const RefView& a, const RefView& b) { return a.ref == b.ref; },
          py::is_operator())
      .def("__hash__",
           [](const RefView& r) { return py::hash(TextOf(r.ref.name)); })
      .def("__repr__", [](const RefView& r) {
        return "<zpack.Ref " + std::string(py::repr(TextOf(r.ref.name))) + ">";
      });
}

}  // namespace

void DefineArchive(py::module_& module) {
  FindMainThread();
  first_process = getpid();
  Py_AtExit(EndReading);
  DefineObject(module);
  DefineRef(module);
  DefineSearches(module);
  DefineLog(module);
  using A = PythonArchive;
  py::class_<A> type(
      module, "Archive",
      "An open .zpack file. Several threads may use it at once.");
  type.def(py::init([](const py::object& path, uint64_t cache_size,
                       const py::object& backing) {
             return std::make_unique<A>(FilePath(path), cache_size,
                                        FilePaths(backing));
           }),
           py::arg("path"), py::kw_only(),
           py::arg("cache_size") = ReadOptions().cache_size,
           py::arg("backing") = py::tuple())
      .def("close", &A::Close,
           "Closes the file. Iterators over its objects go on.")
      .def(
          "__enter__",
          [](A& a) -> A& {
            a.reader();
            return a;
          },
          py::return_value_policy::reference_internal)
      .def("__exit__", [](A& a, const py::args&) { a.Close(); })
      .def("__repr__",
           [](const A& a) {
             const py::str name = TextOf(NameWithoutSecrets(BytesOf(a.path())));
             return "<zpack.Archive " + std::string(py::repr(name)) + ">";
           })
      .def_property_readonly("path", &A::path, "Path of the file.")
      .def_property_readonly("object_format", &A::object_format,
                             "'sha1' or 'sha256'.")
      .def_property_readonly("head", &A::head, "HEAD.")
      .def_property_readonly("refs", &A::refs,
                             "The refs by full name, without HEAD.")
      .def_property_readonly(
          "read_cost", &A::ReadCostSoFar,
          "(blocks, bytes) read from the file and decoded so far.")
      .def("__len__", &A::size)
      .def("__contains__", &A::Contains, py::arg("name"))
      .def("__getitem__", &A::Read, py::arg("name"))
      .def("__iter__", [](const A& a) { return py::iter(py::cast(a.Ids())); })
      .def("resolve", &A::Resolve, py::arg("name"),
           "Id of the object that a name stands for: a ref, 'HEAD', a full or "
           "abbreviated id, with suffixes such as ~2, ^{tree} or :PATH.")
      .def("info", &A::Info, py::arg("name"),
           "Type and size of an object, which is not hashed.")
      .def("read", &A::Read, py::arg("name"),
           "An object. Its content is hashed.")
      .def("objects", &A::Objects, py::kw_only(), py::arg("threads") = 0,
           py::arg("max_content") = BulkOptions().max_content,
           "Iterates over all objects in the order in which they are stored, "
           "as fast as it can. Several threads may take from one iterator.")
      .def(
          "walk",
          [](const A& a, const py::args& starts, bool objects) {
            return py::iter(
                a.Walk(starts.cast<std::vector<py::str>>(), objects));
          },
          py::kw_only(), py::arg("objects") = false,
          "(id, type, path) of each commit that `starts` reach, in the order "
          "of git-rev-list; of all refs without `starts`; of tags, trees and "
          "blobs, too, with `objects`.")
      .def("blocks", &A::Blocks, "What blocks the file has, as dictionaries.")
      .def("_search_tree", &A::SearchTree)
      .def("_search_history", &A::SearchHistory)
      .def("_search_versions", &A::SearchVersions)
      .def("_log", &A::Log);
  AddSearchMethods(type);
  AddLogMethod(type);
}

}  // namespace zpack::python
