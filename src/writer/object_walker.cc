// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/object_walker.h"

#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "writer/tree_walker.h"

namespace zpack {
namespace {

// Contents of trees that all threads keep together, in bytes.
constexpr uint64_t kLastTreesSize = uint64_t{64} << 20;

// The number in `to` of a path of `from`. `numbers`, by path, has those that
// are known, and 0 for others.
uint32_t Translate(const PathTable& from, uint32_t path, PathTable& to,
                   std::vector<uint32_t>& numbers) {
  std::vector<uint32_t> unknown;
  while (path != PathTable::kRoot && numbers[path] == 0) {
    unknown.push_back(path);
    path = from.Parent(path);
  }
  uint32_t number = path == PathTable::kRoot ? PathTable::kRoot : numbers[path];
  for (; !unknown.empty(); unknown.pop_back()) {
    number = to.Intern(number, from.Name(unknown.back()));
    numbers[unknown.back()] = number;
  }
  return number;
}

}  // namespace

ObjectWalker::ObjectWalker(ObjectSource& source,
                           const std::vector<ObjectId>& shallow,
                           ObjectList& list, std::vector<bool> complete,
                           const RunOptions& run)
    : source_(source),
      list_(list),
      complete_(std::move(complete)),
      run_(run),
      history_(source, shallow, list, complete_) {}

Status ObjectWalker::Walk(const std::vector<ObjectId>& tips) {
  const unsigned threads = ResolveThreads(run_.threads);
  HistorySlice first;
  ZPACK_TRY(history_.Add(tips, first));
  return RunOrderedPipeline<HistorySlice>(
      threads, run_.stop,
      [&] {
        return TreeWalker(source_, list_, complete_, kLastTreesSize / threads,
                          run_.stop);
      },
      [&](HistorySlice& slice) {
        slice = std::exchange(first, {});
        return history_.Next(slice);
      },
      [](HistorySlice& slice, TreeWalker& trees) { return trees.Walk(slice); },
      [&](HistorySlice& slice) -> Status {
        Merge(slice);
        return {};
      });
}

void ObjectWalker::Merge(const HistorySlice& slice) {
  missing_.insert(slice.missing.begin(), slice.missing.end());
  const uint32_t visited = next_visit_;
  std::vector<uint32_t> numbers(slice.paths.size());
  size_t at = 0;  // in `met`
  for (size_t i = 0; i < slice.steps.size(); ++i) {
    if (!slice.steps[i].is_tree) {
      Visit(slice.steps[i].object, slice.paths, numbers);
    }
    for (; at < slice.ends[i]; ++at) Visit(slice.met[at], slice.paths, numbers);
  }
  if (run_.progress != nullptr) {
    run_.progress->Advance(next_visit_ - visited, 0);
  }
}

void ObjectWalker::Visit(const MetObject& object, const PathTable& paths,
                         std::vector<uint32_t>& numbers) {
  const uint32_t rank = object.rank;
  if (object.type != ObjectList::kUnknownType) {
    list_.types[rank] = object.type;
    list_.sizes[rank] = object.size;
  }
  if (list_.reached(rank)) return;
  list_.visits[rank] = next_visit_++;
  list_.paths[rank] = Translate(paths, object.path, list_.path_table, numbers);
}

}  // namespace zpack
