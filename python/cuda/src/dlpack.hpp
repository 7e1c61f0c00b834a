// Arrays from and to other libraries, by DLPack.
#pragma once

#include <nanobind/nanobind.h>

namespace floe::python {

void bind_dlpack(nanobind::module_& module);

}  // namespace floe::python
