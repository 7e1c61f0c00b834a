// What compression would make of an array or of columns, and why: floe/frame.hpp as dictionaries.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "buffer.hpp"
#include "column_buffers.hpp"
#include "conversions.hpp"
#include "errors.hpp"
#include "floe/floe.hpp"
#include "options.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

nb::dict dict_of(const TreeNode& node) {
  nb::dict all;
  all["encoding"] = node.encoding;
  all["role"] = node.role;
  all["child_count"] = node.child_count;
  all["word_count"] = node.word_count;
  all["word_bytes"] = node.word_bytes;
  all["encoded_bytes"] = node.encoded_bytes;
  return all;
}

nb::dict dict_of(const CandidateTree& candidate) {
  nb::dict all;
  all["tree"] = candidate.tree;
  all["estimated_bytes"] = candidate.estimated_bytes;
  all["encoded_bytes"] = candidate.encoded_bytes;
  all["estimated_encode_nanoseconds"] = candidate.estimated_speed.encode_nanoseconds;
  all["estimated_decode_nanoseconds"] = candidate.estimated_speed.decode_nanoseconds;
  all["measured_encode_nanoseconds"] = candidate.measured_speed.encode_nanoseconds;
  all["measured_decode_nanoseconds"] = candidate.measured_speed.decode_nanoseconds;
  all["is_unbeaten"] = candidate.is_unbeaten;
  return all;
}

nb::dict dict_of(const PlannedStream& stream) {
  nb::list nodes, candidates;
  for (const TreeNode& node : stream.nodes) nodes.append(dict_of(node));
  for (const CandidateTree& candidate : stream.candidates) candidates.append(dict_of(candidate));
  nb::dict all;
  all["words"] = std::string(name_of(stream.words));
  all["word_count"] = stream.word_count;
  all["stored_bytes"] = stream.stored_bytes;
  all["part_count"] = stream.part_count;
  all["nodes"] = nodes;
  all["candidates"] = candidates;
  return all;
}

nb::dict dict_of(const PlannedSegment& segment) {
  nb::list columns;
  for (const PlannedColumn& planned : segment.columns) {
    nb::list streams;
    for (const PlannedStream& stream : planned.streams) streams.append(dict_of(stream));
    nb::dict column;
    column["source_bytes"] = planned.source_bytes;
    column["streams"] = streams;
    columns.append(column);
  }
  nb::dict all;
  all["stored"] = python::dict_of(segment.stored);
  all["source_bytes"] = segment.source_bytes;
  all["columns"] = columns;
  return all;
}

/// Compresses, keeps what is said of each segment, and drops the frame.
template <class Create, class Feed>
nb::list plan_with(const CompressOptions& with, std::uint64_t explained, Create&& create, Feed&& feed) {
  nb::list segments;
  Callbacks callbacks;
  Options options = with.get();
  options.explained_segments = explained;
  options.on_segment = [&](const PlannedSegment& segment) {
    (void)callbacks.run([&] { segments.append(dict_of(segment)); });
  };
  Status status;
  {
    const nb::gil_scoped_release no_gil;
    Result<Writer> writer = create([&](std::span<const std::byte>) { return callbacks.state(); }, options);
    status = writer.status();
    if (status.ok()) status = feed(*writer);
    if (status.ok()) status = writer->finish();
  }
  callbacks.check(status);
  return segments;
}

nb::list plan_array(nb::handle data, const std::string& dtype, const std::vector<std::uint64_t>& shape,
                    std::uint64_t explained, const CompressOptions& with) {
  const Buffer elements(data, false);
  const DType type = type_named(dtype);
  return plan_with(
      with, explained,
      [&](const Sink& sink, const Options& options) {
        return Writer::create(sink, type, std::span(shape).subspan(1), options);
      },
      [&](Writer& writer) { return writer.write(elements.bytes()); });
}

nb::list plan_columns(const std::vector<std::string>& names, const std::vector<std::string>& types,
                      nb::list values, std::uint64_t rows, std::uint64_t explained,
                      const CompressOptions& with) {
  const ColumnBuffers columns(names, types, values, rows);
  TableOptions table;
  table.source = TableSource::columns;
  table.schema = columns.schema();
  return plan_with(
      with, explained,
      [&](const Sink& sink, const Options& options) { return Writer::create(sink, table, options); },
      [&](Writer& writer) { return rows == 0 ? Status{} : writer.write_columns(columns.pointers(), rows); });
}

}  // namespace

void bind_plan(nb::module_& module) {
  module.def("plan_array", &plan_array, nb::arg("data"), nb::arg("dtype"), nb::arg("shape"),
             nb::arg("explained"), nb::arg("options"));
  module.def("plan_columns", &plan_columns, nb::arg("names"), nb::arg("types"), nb::arg("values"),
             nb::arg("rows"), nb::arg("explained"), nb::arg("options"));
}

}  // namespace floe::python
