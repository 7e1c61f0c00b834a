#include "gpu/host/gpu_slot.hpp"

#include <initializer_list>

#include "gpu/host/publish.hpp"

namespace floe::gpu {
namespace {

/// Runs calls of CUDA until one fails.
class Calls {
 public:
  Calls& operator()(cudaError_t error) {
    if (status_.ok()) status_ = to_status(error);
    return *this;
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  Status status_;
};

cuda::ItemResult* item_result(const std::uint8_t* memory) {
  return reinterpret_cast<cuda::ItemResult*>(const_cast<std::uint8_t*>(memory));
}

}  // namespace

Result<std::shared_ptr<Gpu>> Gpu::open(int device) {
  auto gpu = std::make_shared<Gpu>(device);
  const CurrentDevice current(device);
  for (cudaStream_t* stream : {&gpu->in_, &gpu->kernels_, &gpu->out_}) {
    if (const Status status = to_status(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
        !status.ok())
      return status;
  }
  return gpu;
}

Gpu::~Gpu() {
  const CurrentDevice current(device_);
  for (cudaStream_t stream : {in_, kernels_, out_}) {
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
  }
}

Result<std::unique_ptr<offload::Slot>> GpuSlot::open(std::shared_ptr<Gpu> gpu) {
  auto slot = std::make_unique<GpuSlot>(std::move(gpu));
  const CurrentDevice current(slot->gpu_->device());
  for (cudaEvent_t* event : {&slot->copied_, &slot->done_, &slot->fetched_}) {
    if (const Status status = to_status(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
        !status.ok())
      return status;
  }
  if (const Status status = slot->told_.reserve(sizeof(cuda::ItemResult)); !status.ok()) return status;
  if (const Status status = slot->result_.reserve(sizeof(cuda::ItemResult)); !status.ok()) return status;
  return std::unique_ptr<offload::Slot>(std::move(slot));
}

GpuSlot::~GpuSlot() {
  settle();
  for (cudaEvent_t event : {copied_, done_, fetched_}) {
    if (event != nullptr) (void)cudaEventDestroy(event);
  }
}

Result<std::span<std::uint8_t>> GpuSlot::staging(std::uint64_t bytes) {
  const CurrentDevice current(gpu_->device());
  if (const Status status = staging_.reserve(bytes); !status.ok()) return status;
  return staging_.bytes();
}

Result<std::span<std::uint8_t>> GpuSlot::result_memory(std::uint64_t bytes) {
  const CurrentDevice current(gpu_->device());
  if (const Status status = results_.reserve(bytes); !status.ok()) return status;
  return results_.bytes();
}

Status GpuSlot::reserve(const offload::Task& task) {
  const bool compresses = task.kind == offload::Task::Kind::compress;
  const auto workspace =
      compresses ? cuda::compress_workspace_size(task.in_bytes, 1, task.dtype, task.options)
                 : cuda::decompress_workspace_size(task.out_bytes, 1, {task.dtype, task.options.codec});
  if (!workspace) return workspace.status();
  if (const Status status = in_.reserve(task.in_bytes); !status.ok()) return status;
  if (const Status status = out_.reserve(task.out_bytes); !status.ok()) return status;
  return workspace_.reserve(*workspace);
}

Status GpuSlot::enqueue(const offload::Task& task) {
  const cuda::BatchItem item{in_.data(), task.in_bytes, out_.data(), task.out_bytes};
  const cuda::Workspace workspace{workspace_.data(), workspace_.size()};
  cuda::ItemResult* const result = item_result(result_.data());
  if (task.kind == offload::Task::Kind::compress) {
    const Extent extent = Extent::linear(task.in_bytes / size_of(task.dtype));
    return cuda::compress_async(item, task.dtype, extent, task.options, result, workspace, gpu_->kernels());
  }
  return cuda::decompress_async(item, {task.dtype, task.options.codec}, result, workspace, gpu_->kernels());
}

Status GpuSlot::start(const offload::Task& task, std::span<const offload::CopyIn> copies) {
  const CurrentDevice current(gpu_->device());
  if (const Status status = reserve(task); !status.ok()) return status;
  Calls calls;
  for (const offload::CopyIn& copy : copies) {
    calls(cudaMemcpyAsync(in_.data() + copy.to_offset, copy.from.data(), copy.from.size(),
                          cudaMemcpyHostToDevice, gpu_->in()));
  }
  calls(cudaEventRecord(copied_, gpu_->in()))(cudaStreamWaitEvent(gpu_->kernels(), copied_, 0));
  if (!calls.status().ok()) return calls.status();
  if (const Status status = enqueue(task); !status.ok()) return status;
  if (const Status status = publish(item_result(result_.data()), item_result(told_.data()), gpu_->kernels());
      !status.ok())
    return status;
  return calls(cudaEventRecord(done_, gpu_->kernels())).status();
}

Result<offload::TaskResult> GpuSlot::wait_for_result() {
  const CurrentDevice current(gpu_->device());
  if (const Status status = to_status(cudaEventSynchronize(done_)); !status.ok()) return status;
  const cuda::ItemResult result = *item_result(told_.data());
  return offload::TaskResult{static_cast<ErrorCode>(result.code), result.bytes};
}

Status GpuSlot::fetch(std::uint64_t offset, std::span<std::uint8_t> to) {
  const CurrentDevice current(gpu_->device());
  return Calls()(cudaMemcpyAsync(to.data(), out_.data() + offset, to.size(), cudaMemcpyDeviceToHost,
                                 gpu_->out()))(cudaEventRecord(fetched_, gpu_->out()))
      .status();
}

Status GpuSlot::wait_for_fetch() {
  const CurrentDevice current(gpu_->device());
  return to_status(cudaEventSynchronize(fetched_));
}

void GpuSlot::settle() noexcept {
  const CurrentDevice current(gpu_->device());
  for (cudaStream_t stream : {gpu_->in(), gpu_->kernels(), gpu_->out()})
    (void)to_status(cudaStreamSynchronize(stream));
}

}  // namespace floe::gpu
