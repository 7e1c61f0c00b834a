// What is intact of damaged frames.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "buffer.hpp"
#include "conversions.hpp"
#include "errors.hpp"
#include "floe/recover.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

const char* name_of(Loss what) {
  constexpr const char* names[] = {"elements", "rows", "cells", "lines", "padding"};
  return names[static_cast<unsigned>(what)];
}

nb::list list_of(const std::vector<LostRange>& ranges) {
  nb::list all;
  for (const LostRange& range : ranges)
    all.append(nb::make_tuple(name_of(range.what), range.first, range.count, range.column,
                              range.cause.byte_offset, std::string(range.cause.detail)));
  return all;
}

nb::dict dict_of(const RecoveryMap& map) {
  nb::dict all;
  all["lost"] = list_of(map.lost);
  all["unproven"] = list_of(map.unproven);
  all["recovered"] = map.recovered;
  all["intact_segments"] = map.intact_segments;
  all["damaged_segments"] = map.damaged_segments;
  all["missing_segments"] = map.missing_segments;
  all["is_complete"] = map.is_complete();
  all["is_length_known"] = map.is_length_known;
  all["has_checksums"] = map.has_checksums;
  return all;
}

class FrameRecovery {
 public:
  FrameRecovery(nb::handle bytes, nb::handle similar, const std::string& separator, bool fill_lost)
      : buffer_(std::make_unique<Buffer>(bytes, false)) {
    if (separator.size() != 1) throw nb::value_error("a separator is one character of one byte");
    const Buffer like(similar, false);
    RecoveryOptions options;
    options.similar_frame = like.bytes();
    options.separator = separator[0];
    options.fill_lost = fill_lost;
    std::optional<Result<Recovery>> opened;
    {
      const nb::gil_scoped_release no_gil;
      opened.emplace(Recovery::open(buffer_->bytes(), options));
    }
    recovery_.emplace(std::move(*opened).value());
  }

  [[nodiscard]] nb::dict info() const { return python::dict_of(recovery_->info()); }
  [[nodiscard]] std::string header_source() const {
    constexpr const char* names[] = {"intact", "mended", "similar", "guessed"};
    return names[static_cast<unsigned>(recovery_->header_source())];
  }

  nb::dict restore(nb::handle write, std::uint32_t threads, std::uint64_t memory_limit) const {
    Callbacks callbacks;
    Status status;
    std::optional<RecoveryMap> map;
    {
      const nb::gil_scoped_release no_gil;
      const Sink sink = [&](std::span<const std::byte> bytes) {
        return callbacks.run([&] { write(nb::bytes(bytes.data(), bytes.size())); });
      };
      DecodeOptions options;
      options.threads = threads;
      options.memory_limit_bytes = memory_limit;
      auto made = recovery_->restore(sink, options);
      status = made.status();
      if (made) map = std::move(*made);
    }
    callbacks.check(status);
    return dict_of(*map);
  }

 private:
  std::unique_ptr<Buffer> buffer_;
  std::optional<Recovery> recovery_;
};

}  // namespace

void bind_recovery(nb::module_& module) {
  nb::class_<FrameRecovery>(module, "Recovery")
      .def(nb::init<nb::handle, nb::handle, const std::string&, bool>(), nb::arg("frame"), nb::arg("similar"),
           nb::arg("separator"), nb::arg("fill_lost"))
      .def("info", &FrameRecovery::info)
      .def("header_source", &FrameRecovery::header_source)
      .def("restore", &FrameRecovery::restore, nb::arg("write"), nb::arg("threads"), nb::arg("memory_limit"));
}

}  // namespace floe::python
