// Arrays, columns and CSV text become frames.
#include <dlfcn.h>
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

/// Makes a new bytes object shorter. What Python has for that is not of its stable ABI, so it is looked for;
/// where it is not found the bytes are copied.
nb::object shortened(nb::object bytes, std::size_t size) {
  using Resize = int (*)(PyObject**, Py_ssize_t);
  static const auto resize = reinterpret_cast<Resize>(dlsym(RTLD_DEFAULT, "_PyBytes_Resize"));
  if (resize == nullptr) return nb::bytes(PyBytes_AsString(bytes.ptr()), size);
  PyObject* object = bytes.release().ptr();
  if (resize(&object, static_cast<Py_ssize_t>(size)) != 0) nb::raise_python_error();
  return nb::steal(object);
}

/// The frame of an array, as bytes. No copy is made of it.
nb::object compress_array(nb::handle data, const std::string& dtype, const std::vector<std::uint64_t>& shape,
                          nb::bytes prefix, const CompressOptions& with) {
  const Buffer elements(data, false);
  Options options = with.get();
  options.prefix = bytes_of(prefix);
  const DType type = type_named(dtype);
  const Extent extent = extent_of(shape);
  const std::uint64_t room = max_compressed_size(type, extent, options).value();
  nb::object frame = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(room)));
  if (!frame.is_valid()) nb::raise_python_error();
  auto* const begin = reinterpret_cast<std::byte*>(PyBytes_AsString(frame.ptr()));
  const Result<std::size_t> written = [&] {
    const nb::gil_scoped_release no_gil;
    return compress_into({begin, room}, elements.bytes(), type, extent, options);
  }();
  written.status().or_throw();
  return shortened(std::move(frame), *written);
}

/// Hands frames to a function of Python, and tells another one how far compression is.
class Output {
 public:
  Output(nb::handle write, nb::handle progress, std::uint64_t total_bytes)
      : write_(write), progress_(progress), total_bytes_(total_bytes) {}

  Sink sink() {
    return [this](std::span<const std::byte> bytes) {
      return callbacks_.run([&] { write_(nb::bytes(bytes.data(), bytes.size())); });
    };
  }
  void listen(Options& options) {
    if (progress_.is_none()) return;
    options.on_segment = [this](const PlannedSegment& segment) {
      done_bytes_ += segment.source_bytes;
      (void)callbacks_.run([&] { progress_(done_bytes_, total_bytes_); });
    };
  }
  /// Runs the steps of a writer without the GIL.
  template <class Steps>
  void run(Steps&& steps) {
    Status status;
    {
      const nb::gil_scoped_release no_gil;
      status = steps();
    }
    callbacks_.check(status);
  }

 private:
  nb::handle write_, progress_;
  std::uint64_t total_bytes_ = 0, done_bytes_ = 0;
  Callbacks callbacks_;
};

/// The same frame in pieces, for `write`.
void write_array(nb::handle write, nb::handle data, const std::string& dtype,
                 const std::vector<std::uint64_t>& shape, nb::bytes prefix, const CompressOptions& with,
                 nb::handle progress) {
  const Buffer elements(data, false);
  Options options = with.get();
  options.prefix = bytes_of(prefix);
  Output output(write, progress, elements.bytes().size());
  output.listen(options);
  const auto inner = std::span(shape).subspan(1);
  Writer writer = Writer::create(output.sink(), type_named(dtype), inner, options).value();
  output.run([&] {
    const Status status = writer.write(elements.bytes());
    return status.ok() ? writer.finish() : status;
  });
}

/// A table of columns in memory, of `rows` rows.
void write_columns(nb::handle write, const std::vector<std::string>& names,
                   const std::vector<std::string>& types, nb::list values, std::uint64_t rows,
                   std::uint32_t segment_rows, const CompressOptions& with, nb::handle progress) {
  const ColumnBuffers columns(names, types, values, rows);
  TableOptions table;
  table.source = TableSource::columns;
  table.schema = columns.schema();
  table.segment_rows = segment_rows;
  if (!with.tree.empty()) table.trees.push_back({"", 0, with.tree});
  Options options = with.get();
  options.tree = {};
  Output output(write, progress, columns.total_bytes());
  output.listen(options);
  Writer writer = Writer::create(output.sink(), table, options).value();
  output.run([&] {
    const Status status = rows == 0 ? Status{} : writer.write_columns(columns.pointers(), rows);
    return status.ok() ? writer.finish() : status;
  });
}

/// A frame of the text that `read` returns in pieces until it returns nothing.
void write_text(nb::handle write, nb::handle read, TableOptions table, const CompressOptions& with) {
  if (!with.tree.empty()) table.trees.push_back({"", 0, with.tree});
  Options options = with.get();
  options.tree = {};
  Output output(write, nb::none(), 0);
  Writer writer = Writer::create(output.sink(), table, options).value();
  while (true) {
    const nb::object piece = read();
    const Buffer text(piece, false);
    if (text.bytes().empty()) break;
    output.run([&] { return writer.write(text.bytes()); });
  }
  output.run([&] { return writer.finish(); });
}

/// CSV text of anybody.
void write_csv(nb::handle write, nb::handle read, const std::string& schema, const std::string& separator,
               int name_row, bool keep_text, const CompressOptions& with) {
  TableOptions table;
  if (!schema.empty()) table.schema = parse_schema(schema).value();
  if (!separator.empty()) table.separator = separator[0];
  table.name_row = static_cast<NameRow>(name_row);
  table.keep_text = keep_text;
  write_text(write, read, std::move(table), with);
}

/// CSV text with a line of names, commas, and columns of known types.
void write_cells(nb::handle write, nb::handle read, const std::vector<std::string>& names,
                 const std::vector<std::string>& types, const CompressOptions& with) {
  TableOptions table;
  for (std::size_t i = 0; i < names.size(); ++i) table.schema.push_back({names[i], type_named(types.at(i))});
  table.separator = ',';
  table.name_row = NameRow::yes;
  write_text(write, read, std::move(table), with);
}

}  // namespace

void bind_compression(nb::module_& module) {
  module.def("compress_array", &compress_array, nb::arg("data"), nb::arg("dtype"), nb::arg("shape"),
             nb::arg("prefix"), nb::arg("options"));
  module.def("write_array", &write_array, nb::arg("write"), nb::arg("data"), nb::arg("dtype"),
             nb::arg("shape"), nb::arg("prefix"), nb::arg("options"), nb::arg("progress").none());
  module.def("write_columns", &write_columns, nb::arg("write"), nb::arg("names"), nb::arg("types"),
             nb::arg("values"), nb::arg("rows"), nb::arg("segment_rows"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("write_csv", &write_csv, nb::arg("write"), nb::arg("read"), nb::arg("schema"),
             nb::arg("separator"), nb::arg("name_row"), nb::arg("keep_text"), nb::arg("options"));
  module.def("write_cells", &write_cells, nb::arg("write"), nb::arg("read"), nb::arg("names"),
             nb::arg("types"), nb::arg("options"));
}

}  // namespace floe::python
