// Batches of columns for whoever takes Arrow's streams: PyArrow, Polars, DuckDB, pandas. The values stay
// where Python has them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "arrow_abi.hpp"
#include "bindings.hpp"
#include "buffer.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

constexpr std::int64_t may_have_nulls = 2;  // ARROW_FLAG_NULLABLE

/// What a struct points to: it goes with the struct.
template <class Struct>
struct Owned {
  std::string format, name;          // schemas
  std::deque<Buffer> python;         // arrays
  std::vector<const void*> buffers;  // arrays
  std::vector<Struct> children;
  std::vector<Struct*> child_pointers;

  static void release(Struct* of) {
    auto* const owned = static_cast<Owned*>(of->private_data);
    for (Struct& child : owned->children) {
      if (child.release != nullptr) child.release(&child);
    }
    of->release = nullptr;
    if (owned->python.empty()) {
      delete owned;
    } else if (Py_IsInitialized() != 0) {
      const nb::gil_scoped_acquire gil;
      delete owned;
    }
  }
  /// Moves the owned things to their struct.
  static void attach(std::unique_ptr<Owned> owned, Struct& to) {
    for (Struct& child : owned->children) owned->child_pointers.push_back(&child);
    to.n_children = static_cast<std::int64_t>(owned->children.size());
    to.children = owned->child_pointers.data();
    to.dictionary = nullptr;
    to.release = &release;
    to.private_data = owned.release();
  }
};

ArrowSchema schema_of(const std::string& name, const std::string& format,
                      std::vector<ArrowSchema> children = {}) {
  auto owned = std::make_unique<Owned<ArrowSchema>>();
  owned->name = name;
  owned->format = format;
  owned->children = std::move(children);
  ArrowSchema schema{};
  schema.format = owned->format.c_str();
  schema.name = owned->name.c_str();
  schema.flags = may_have_nulls;
  Owned<ArrowSchema>::attach(std::move(owned), schema);
  return schema;
}

/// `buffers` are objects with the buffer protocol, or None: first the bitmap of valid values.
ArrowArray array_of(std::int64_t length, std::int64_t null_count, const nb::list& buffers,
                    std::vector<ArrowArray> children = {}) {
  auto owned = std::make_unique<Owned<ArrowArray>>();
  for (const nb::handle buffer : buffers)
    owned->buffers.push_back(buffer.is_none() ? nullptr
                                              : owned->python.emplace_back(buffer, false).bytes().data());
  owned->children = std::move(children);
  ArrowArray array{};
  array.length = length;
  array.null_count = null_count;
  array.n_buffers = static_cast<std::int64_t>(owned->buffers.size());
  array.buffers = owned->buffers.data();
  Owned<ArrowArray>::attach(std::move(owned), array);
  return array;
}

/// A stream of the batches that a function of Python returns: (rows, [(nulls, buffers) of each column]), or
/// None at the end.
struct Batches {
  std::vector<std::string> names, formats;
  nb::object next;
  std::string error;

  static Batches& of(ArrowArrayStream* stream) { return *static_cast<Batches*>(stream->private_data); }

  /// Runs a step with the GIL; what it throws is the stream's last error.
  template <class Step>
  int run(Step&& step) {
    const nb::gil_scoped_acquire gil;
    try {
      step();
      return 0;
    } catch (const std::exception& problem) {
      error = problem.what();
      return EIO;
    }
  }

  static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    Batches& self = of(stream);
    return self.run([&] {
      std::vector<ArrowSchema> columns;
      for (std::size_t i = 0; i < self.names.size(); ++i)
        columns.push_back(schema_of(self.names[i], self.formats[i]));
      *out = schema_of("", "+s", std::move(columns));
      out->flags = 0;
    });
  }
  static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    Batches& self = of(stream);
    return self.run([&] {
      *out = {};
      const nb::object batch = self.next();
      if (batch.is_none()) return;
      std::vector<ArrowArray> columns;
      const auto length = nb::cast<std::int64_t>(batch[0]);
      for (const nb::handle column : nb::cast<nb::list>(batch[1]))
        columns.push_back(array_of(length, nb::cast<std::int64_t>(column[0]), nb::cast<nb::list>(column[1])));
      nb::list no_bitmap;
      no_bitmap.append(nb::none());
      *out = array_of(length, 0, no_bitmap, std::move(columns));
    });
  }
  static const char* last_error(ArrowArrayStream* stream) { return of(stream).error.c_str(); }
  static void release(ArrowArrayStream* stream) {
    stream->release = nullptr;
    if (Py_IsInitialized() == 0) return;
    const nb::gil_scoped_acquire gil;
    delete static_cast<Batches*>(stream->private_data);
  }
};

nb::capsule arrow_stream(std::vector<std::string> names, std::vector<std::string> formats, nb::object next) {
  auto batches = std::make_unique<Batches>();
  batches->names = std::move(names);
  batches->formats = std::move(formats);
  batches->next = std::move(next);
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->get_schema = &Batches::get_schema;
  stream->get_next = &Batches::get_next;
  stream->get_last_error = &Batches::last_error;
  stream->release = &Batches::release;
  stream->private_data = batches.release();
  return nb::capsule(stream.release(), "arrow_array_stream", [](void* pointer) noexcept {
    auto* const unused = static_cast<ArrowArrayStream*>(pointer);
    if (unused->release != nullptr) unused->release(unused);
    delete unused;
  });
}

}  // namespace

void bind_arrow(nb::module_& module) {
  module.def("arrow_stream", &arrow_stream, nb::arg("names"), nb::arg("formats"), nb::arg("next"));
}

}  // namespace floe::python
