#include "gpu/host/allocations.hpp"

#include <cuda.h>
#include <cuda_runtime.h>

namespace floe::gpu {
namespace {

using GetAttribute = CUresult(CUDAAPI*)(void* value, CUpointer_attribute attribute, CUdeviceptr memory);

/// The driver's function of this name; the runtime knows where it is, so that nothing needs to link the
/// driver.
GetAttribute find_get_attribute() noexcept {
  constexpr const char* name = "cuPointerGetAttribute";
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  const bool is_there = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return is_there ? reinterpret_cast<GetAttribute>(function) : nullptr;
}

CUresult get_id(const void* memory, unsigned long long& id) noexcept {
  static const GetAttribute get_attribute = find_get_attribute();
  if (get_attribute == nullptr) return CUDA_ERROR_NOT_FOUND;
  const auto address = reinterpret_cast<CUdeviceptr>(memory);
  const CUresult result = get_attribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, address);
  int device = 0;
  const bool has_no_context = result == CUDA_ERROR_INVALID_CONTEXT && cudaGetDevice(&device) == cudaSuccess &&
                              cudaSetDevice(device) == cudaSuccess;
  return has_no_context ? get_attribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, address) : result;
}

}  // namespace

std::uint64_t allocation_id(const void* memory) noexcept {
  unsigned long long id = 0;
  return get_id(memory, id) == CUDA_SUCCESS ? id : 0;
}

bool is_gone(const void* memory, std::uint64_t id) noexcept {
  unsigned long long now = 0;
  switch (get_id(memory, now)) {
    case CUDA_SUCCESS:
      return now != id;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:  // the process is about to end
      return true;
    default:
      return false;
  }
}

}  // namespace floe::gpu
