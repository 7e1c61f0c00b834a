// The kernels that pack chains straight to their offsets, onto a stream.
#pragma once

#include "gpu/host/launch.hpp"
#include "gpu/pack/pack_limits.hpp"

namespace floe::gpu {

/// The job says everything but how far tiles are looked at ahead.
inline void launch_packing(CudaCalls& calls, const DeviceShape& device, PackJob& job, PackKind kind,
                           cudaStream_t stream) {
  const PackShape shape = plan_packing(job, kind, device.multiprocessors, device.cluster_bytes());
  if (shape.before.kernel != nullptr)
    launch(calls, shape.before.kernel, {shape.blocks_before, pack_threads, shape.before.shared_bytes}, job,
           stream);
  launch(calls, shape.kernel.kernel,
         {shape.blocks, shape.threads, shape.kernel.shared_bytes, false, shape.cluster_blocks,
          shape.kernel.shared_percent},
         job, stream);
}

}  // namespace floe::gpu
