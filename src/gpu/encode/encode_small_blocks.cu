// Words of columns to segments without dictionaries: the kernel. Much of a tree is done by few warps, or by
// one thread, so that more and smaller blocks are faster. Not so with dictionaries, whose tables lie in the
// tiles of eight warps, or in caches that more blocks would crowd.

#include "gpu/encode/encode_columns.cuh"

namespace floe::gpu {

EncodeKernel small_encode_kernel() { return encode_kernel_of<4, 4>(); }

}  // namespace floe::gpu
