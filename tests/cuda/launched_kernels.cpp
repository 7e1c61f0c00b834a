// Which kernels does a program of tests have, and which of them did it launch? Written to the file that
// FLOE_LAUNCHED_KERNELS names: a line for each kernel, "launched" or "not launched" and its mangled name. The
// linker leads what registers and launches kernels through this file (--wrap, see CMakeLists.txt).
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

namespace floe::test {
namespace {

struct Kernel {
  std::string name;
  bool launched = false;
};

/// Kernels by the address of the host's function. Programs register them before `main`.
class Kernels : public ::testing::Environment {
 public:
  static Kernels& all() {
    static auto* const kernels = static_cast<Kernels*>(::testing::AddGlobalTestEnvironment(new Kernels));
    return *kernels;
  }
  void add(const void* function, const char* name) { by_function_[function].name = name; }
  void launch(const void* function) {
    const std::scoped_lock lock(mutex_);
    by_function_[function].launched = true;
  }

 private:
  void TearDown() override {
    const char* const path = std::getenv("FLOE_LAUNCHED_KERNELS");
    if (path == nullptr) return;
    std::ofstream file(path);
    for (const auto& [function, kernel] : by_function_)
      file << (kernel.launched ? "launched " : "not launched ") << kernel.name << '\n';
    ASSERT_TRUE(file.flush().good()) << path;
  }

  std::mutex mutex_;
  std::map<const void*, Kernel> by_function_;
};

}  // namespace
}  // namespace floe::test

extern "C" {

void __real___cudaRegisterFunction(void** binary, const char* host, char* device, const char* name, int limit,
                                   uint3* thread, uint3* block, dim3* threads, dim3* blocks, int* warp);
void __wrap___cudaRegisterFunction(void** binary, const char* host, char* device, const char* name, int limit,
                                   uint3* thread, uint3* block, dim3* threads, dim3* blocks, int* warp) {
  floe::test::Kernels::all().add(host, name);
  __real___cudaRegisterFunction(binary, host, device, name, limit, thread, block, threads, blocks, warp);
}

cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                       void** arguments);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                       void** arguments) {
  floe::test::Kernels::all().launch(function);
  return __real_cudaLaunchKernelExC(config, function, arguments);
}

// What "kernel<<<blocks, threads>>>" calls where it launches a kernel for the first time.
cudaError_t __real___cudaGetKernel(cudaKernel_t* kernel, const void* function);
cudaError_t __wrap___cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  floe::test::Kernels::all().launch(function);
  return __real___cudaGetKernel(kernel, function);
}

}  // extern "C"
