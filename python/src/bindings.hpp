// The parts of the module floe._floe. Python code in python/floe gives them bytes and the names of types;
// they know nothing of NumPy.
#pragma once

#include <nanobind/nanobind.h>

namespace floe::python {

void bind_options(nanobind::module_& module);
void bind_compression(nanobind::module_& module);
void bind_reader(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_recovery(nanobind::module_& module);
void bind_arrow(nanobind::module_& module);
void bind_chunks(nanobind::module_& module);

}  // namespace floe::python
