// Messages between the blocks of a cluster, which count what arrives. From compute capability 9.0 on.
#pragma once

#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

#if __CUDA_ARCH__ >= 900
extern __shared__ __align__(128) std::uint8_t cluster_shared[];

/// A block of a cluster, as a warp of it sees it. Arrivals count, round by round, the bytes that arrive.
class ClusterBlock {
 public:
  using Warp = DeviceWarp;

  static __device__ Warp warp() { return {}; }
  static __device__ unsigned warp_index() { return threadIdx.x / warp_lanes; }
  static __device__ bool is_first_thread() { return threadIdx.x == 0; }
  static __device__ std::uint8_t* shared() { return cluster_shared; }
  static __device__ std::uint32_t rank() {
    std::uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  static __device__ std::uint32_t blocks() {
    std::uint32_t count;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    return count;
  }
  /// All threads of all blocks meet.
  static __device__ void sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
  }

  /// Begins to count; a round ends when one thread has said how many bytes there are, and these have arrived.
  static __device__ void begin(std::uint64_t& arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&arrivals)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  /// Says how many bytes arrive in a round. By one thread of the block.
  static __device__ void expect(std::uint64_t& arrivals, std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&arrivals)),
                 "r"(bytes)
                 : "memory");
  }
  /// Waits for the end of a round, of which the lowest bit of its number is known.
  static __device__ void wait(std::uint64_t& arrivals, std::uint32_t round) {
    asm volatile(
        "{\n .reg .pred done;\nagain:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n @!done "
        "bra again;\n}" ::"r"(address(&arrivals)),
        "r"(round & 1)
        : "memory");
  }
  /// Whether it has ended. Lanes may hear different things.
  static __device__ bool has_ended(std::uint64_t& arrivals, std::uint32_t round) {
    std::uint32_t done;
    asm volatile(
        "{\n .reg .pred done;\n mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n selp.u32 %0, 1, "
        "0, done;\n}"
        : "=r"(done)
        : "r"(address(&arrivals)), "r"(round & 1)
        : "memory");
    return done != 0;
  }

  /// Stores something in the shared memory of a block of the cluster, at `to` as in this one, and counts it.
  static __device__ void send(unsigned block, void* to, std::uint64_t a, std::uint64_t b,
                              std::uint64_t* arrivals) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(
                     address_in(to, block)),
                 "l"(a), "l"(b), "r"(address_in(arrivals, block))
                 : "memory");
  }
  static __device__ void send(unsigned block, void* to, std::uint32_t a, std::uint64_t* arrivals) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                     address_in(to, block)),
                 "r"(a), "r"(address_in(arrivals, block))
                 : "memory");
  }

 private:
  static __device__ std::uint32_t address(const void* of) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(of));
  }
  static __device__ std::uint32_t address_in(const void* own, std::uint32_t block) {
    std::uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address(own)), "r"(block));
    return there;
  }
};
#endif

}  // namespace floe::gpu
