// The kernels that pack a kind of words. They are compiled in three files, because there are many.
#pragma once

#include "gpu/pack/pack_job.hpp"

namespace floe::gpu {

PackKernels pack_words_kernels(PackKind kind);
PackKernels pack_floats_kernels(PackKind kind);
PackKernels pack_int_mult_kernels(PackKind kind);

}  // namespace floe::gpu
