// Begins a kernel before the one before it in the stream has ended. It is launched so
// (LaunchShape::overlaps), does what depends on no other kernel, and waits. Devices before sm_90 run one
// kernel after the other.
#pragma once

namespace floe::gpu {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define FLOE_OVERLAPPING_KERNELS 1
#else
#define FLOE_OVERLAPPING_KERNELS 0
#endif

/// Lets the next kernel begin as soon as all blocks have called this, or ended, and there is room for it.
__device__ inline void let_next_kernel_begin() {
#if FLOE_OVERLAPPING_KERNELS
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Waits until the kernel before has ended, and sees what it wrote. All threads of a kernel that overlaps
/// call this, also those that have nothing to do: the kernel after it takes its end for that of all kernels
/// before.
__device__ inline void wait_for_kernel_before() {
#if FLOE_OVERLAPPING_KERNELS
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace floe::gpu
