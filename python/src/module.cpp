// The module floe._floe: the library for the Python code beside it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bindings.hpp"
#include "errors.hpp"
#include "options.hpp"

namespace nb = nanobind;

namespace floe::python {

void bind_options(nb::module_& module) {
  nb::enum_<Goal>(module, "Goal")
      .value("speed", Goal::speed)
      .value("balance", Goal::balance)
      .value("ratio", Goal::ratio)
      .value("max", Goal::max);
  nb::enum_<Profile>(module, "Profile").value("cpu", Profile::cpu).value("gpu", Profile::gpu);
  nb::class_<CompressOptions>(module, "Options")
      .def(nb::init<>())
      .def_rw("goal", &CompressOptions::goal)
      .def_rw("tree", &CompressOptions::tree)
      .def_rw("profile", &CompressOptions::profile)
      .def_rw("threads", &CompressOptions::threads)
      .def_rw("checksum", &CompressOptions::checksum)
      .def_rw("segment_bytes", &CompressOptions::segment_bytes)
      .def_rw("decode_megabytes_per_second", &CompressOptions::decode_megabytes_per_second);
}

}  // namespace floe::python

NB_MODULE(_floe, module) {
  using namespace floe;
  python::register_errors();
  python::bind_options(module);
  python::bind_compression(module);
  python::bind_reader(module);
  python::bind_recovery(module);
  python::bind_plan(module);
  python::bind_arrow(module);
  python::bind_chunks(module);
  module.def("version", [] { return std::string(version()); });
  module.def("instruction_set", [] { return std::string(instruction_set()); });
  module.def("available_threads", &available_threads);
  module.def("codecs", [] {
    nb::list all;
    for (const CodecInfo& codec : codecs())
      all.append(nb::make_tuple(std::string(codec.name), codec.id, std::string(codec.summary)));
    return all;
  });
  module.def(
      "check_tree",
      [](const std::string& tree, const std::string& dtype) {
        const auto type = dtype_from_name(dtype);
        (type ? check_tree(tree, *type) : check_tree(tree)).or_throw();
      },
      nb::arg("tree"), nb::arg("dtype"));
}
