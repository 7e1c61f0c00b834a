// Frames in memory of floe's, and the calls of floe.cuda for arrays that are known.
#pragma once

#include <nanobind/nanobind.h>

namespace floe::python {

void bind_frames(nanobind::module_& module);

}  // namespace floe::python
