// Reads frames in memory, in files and wherever a function of Python reads.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "buffer.hpp"
#include "conversions.hpp"
#include "errors.hpp"
#include "file_source.hpp"
#include "options.hpp"
#include "texts.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

/// Decoded at once between two calls of a progress function.
constexpr std::uint64_t progress_bytes = std::uint64_t{32} << 20;

class FrameReader {
 public:
  explicit FrameReader(nb::handle frame) : buffer_(std::make_unique<Buffer>(frame, false)) {
    reader_.emplace(Reader::open(buffer_->bytes()).value());
  }
  /// The frame begins at `begin` of the file.
  FrameReader(int descriptor, std::uint64_t frame_bytes, std::uint64_t begin) {
    reader_.emplace(Reader::open(read_from(descriptor, begin), frame_bytes).value());
  }
  FrameReader(nb::object read_at, std::uint64_t frame_bytes) : read_at_(std::move(read_at)) {
    const auto read = [this](std::uint64_t offset, std::span<std::byte> bytes) {
      Callbacks callbacks;
      return callbacks.run([&] {
        try {
          const nb::object piece = read_at_(offset, bytes.size());
          const Buffer got(piece, false);
          if (got.bytes().size() != bytes.size()) throw nb::value_error("the source has become shorter");
          std::copy(got.bytes().begin(), got.bytes().end(), bytes.begin());
        } catch (...) {
          read_failure_ = std::current_exception();
          throw;
        }
      });
    };
    run([&] {
      auto opened = Reader::open(read, frame_bytes);
      if (!opened) return opened.status();
      reader_.emplace(std::move(*opened));
      return Status{};
    });
  }

  nb::dict info() const { return dict_of(reader_->info()); }

  nb::dict segment(std::uint64_t index) {
    std::optional<StoredSegment> stored;
    run([&] {
      auto segment = reader_->segment(index);
      if (segment) stored = std::move(*segment);
      return segment.status();
    });
    return dict_of(*stored);
  }

  void decompress_slice(nb::handle out, std::uint64_t first, std::uint64_t count, std::uint32_t threads,
                        std::uint64_t memory_limit, nb::handle progress) {
    const Buffer room(out, true);
    const DecodeOptions options = decode_options(threads, memory_limit);
    if (progress.is_none())
      return run([&] { return reader_->decompress_slice(room.room(), {first, count}, options); });
    const std::uint64_t width = size_of(reader_->info().dtype);
    if (room.room().size() != count * width) throw nb::value_error("the output has another size");
    const std::uint64_t segment = std::max<std::uint64_t>(reader_->info().max_segment_length, 1);
    const std::uint64_t step = std::max<std::uint64_t>(progress_bytes / width / segment, 1) * segment;
    run([&](Callbacks& callbacks) {
      for (std::uint64_t done = 0; done < count;) {
        // Whole segments, so that none is decoded twice.
        const std::uint64_t end = std::min((first + done) / step * step + step, first + count) - first;
        const Status status = reader_->decompress_slice(
            room.room().subspan(done * width, (end - done) * width), {first + done, end - done}, options);
        if (!status.ok()) return status;
        done = end;
        const Status told = callbacks.run([&] { progress(done * width, count * width); });
        if (!told.ok()) return told;
      }
      return Status{};
    });
  }

  void read_values(std::size_t column, std::uint64_t first, std::uint64_t count, nb::handle out,
                   nb::handle valid, std::uint32_t threads, std::uint64_t memory_limit) {
    const Buffer room(out, true), marks(valid, true);
    const std::span flags(reinterpret_cast<std::uint8_t*>(marks.room().data()), marks.room().size());
    run([&] {
      return reader_->read_values(column, {first, count}, room.room(), flags,
                                  decode_options(threads, memory_limit));
    });
  }

  nb::list read_texts(std::size_t column, std::uint64_t first, std::uint64_t count, std::uint32_t threads,
                      std::uint64_t memory_limit) {
    return texts_of(read_cells(column, {first, count}, threads, memory_limit));
  }

  nb::tuple read_text_column(std::size_t column, std::uint64_t first, std::uint64_t count,
                             std::uint32_t threads, std::uint64_t memory_limit) {
    return text_column_of(read_cells(column, {first, count}, threads, memory_limit));
  }

  void print_rows(const std::vector<std::size_t>& columns, std::uint64_t first, std::uint64_t count,
                  nb::handle write, std::uint32_t threads, std::uint64_t memory_limit) {
    run([&](Callbacks& callbacks) {
      return reader_->print_rows(columns, {first, count}, sink(callbacks, write),
                                 decode_options(threads, memory_limit));
    });
  }

  void restore(nb::handle write, std::uint32_t threads, std::uint64_t memory_limit) {
    run([&](Callbacks& callbacks) {
      return reader_->restore(sink(callbacks, write), decode_options(threads, memory_limit));
    });
  }

 private:
  static Sink sink(Callbacks& callbacks, nb::handle write) {
    return [&callbacks, write](std::span<const std::byte> bytes) {
      return callbacks.run([&] { write(nb::bytes(bytes.data(), bytes.size())); });
    };
  }

  std::vector<std::string> read_cells(std::size_t column, Slice rows, std::uint32_t threads,
                                      std::uint64_t memory_limit) {
    std::vector<std::string> cells;
    run([&] {
      auto read = reader_->read_texts(column, rows, decode_options(threads, memory_limit));
      if (read) cells = std::move(*read);
      return read.status();
    });
    return cells;
  }

  /// Runs a call of the library without the GIL. Where the source cannot be read, its exception is thrown.
  template <class Call>
  void run(Call&& call) {
    Callbacks callbacks;
    Status status;
    {
      const nb::gil_scoped_release no_gil;
      if constexpr (std::is_invocable_v<Call, Callbacks&>) {
        status = call(callbacks);
      } else {
        status = call();
      }
    }
    if (const std::exception_ptr failure = std::exchange(read_failure_, nullptr); failure && !status.ok())
      std::rethrow_exception(failure);
    callbacks.check(status);
  }

  std::unique_ptr<Buffer> buffer_;
  nb::object read_at_;
  std::exception_ptr read_failure_;  ///< With the GIL.
  std::optional<Reader> reader_;
};

}  // namespace

void bind_reader(nb::module_& module) {
  nb::class_<FrameReader>(module, "Reader")
      .def(nb::init<nb::handle>(), nb::arg("frame"))
      .def(nb::init<int, std::uint64_t, std::uint64_t>(), nb::arg("descriptor"), nb::arg("frame_bytes"),
           nb::arg("begin") = 0)
      .def(nb::init<nb::object, std::uint64_t>(), nb::arg("read_at"), nb::arg("frame_bytes"))
      .def("info", &FrameReader::info)
      .def("segment", &FrameReader::segment, nb::arg("index"))
      .def("decompress_slice", &FrameReader::decompress_slice, nb::arg("out"), nb::arg("first"),
           nb::arg("count"), nb::arg("threads"), nb::arg("memory_limit"), nb::arg("progress").none())
      .def("read_values", &FrameReader::read_values, nb::arg("column"), nb::arg("first"), nb::arg("count"),
           nb::arg("out"), nb::arg("valid"), nb::arg("threads"), nb::arg("memory_limit"))
      .def("read_texts", &FrameReader::read_texts, nb::arg("column"), nb::arg("first"), nb::arg("count"),
           nb::arg("threads"), nb::arg("memory_limit"))
      .def("read_text_column", &FrameReader::read_text_column, nb::arg("column"), nb::arg("first"),
           nb::arg("count"), nb::arg("threads"), nb::arg("memory_limit"))
      .def("print_rows", &FrameReader::print_rows, nb::arg("columns"), nb::arg("first"), nb::arg("count"),
           nb::arg("write"), nb::arg("threads"), nb::arg("memory_limit"))
      .def("restore", &FrameReader::restore, nb::arg("write"), nb::arg("threads"), nb::arg("memory_limit"));
}

}  // namespace floe::python
