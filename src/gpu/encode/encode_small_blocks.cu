// Words of columns to segments without dictionaries: the kernel. Much of a tree is done by few warps, or by
// one thread, so that more and smaller blocks are faster. Not so with dictionaries: where a table is smaller,
// more of them are filled, and each goes through all words.

#include "gpu/encode/encode_columns.cuh"

namespace floe::gpu {

EncodeKernel small_encode_kernel() { return encode_kernel_of<4, 5>(); }

}  // namespace floe::gpu
