// Which kernel packs a kind of words? They are compiled in two files, because there are many.
#pragma once

#include "series_cuda/pack_job.hpp"

namespace floe::series_cuda {

PackKernel pack_words_kernel(PackKind kind);
PackKernel pack_floats_kernel(PackKind kind);

}  // namespace floe::series_cuda
