#include "gpu/host/column_sampler.hpp"

#include "gpu/host/launch.hpp"

namespace floe::series_cuda {

Result<ColumnSampler> ColumnSampler::create(DType type, std::uint64_t words, std::uint64_t segment_words) {
  ColumnSampler sampler;
  sampler.column_ = {type, nullptr, words, segment_words};
  sampler.max_words_ = words;
  const std::uint64_t bytes = sample_bytes(sampler.column_);
  sampler.device_ = device_memory(bytes + sample_workspace_bytes({&sampler.column_, 1}));
  if (sampler.device_ == nullptr) return Status{ErrorCode::out_of_memory, 0, "no device memory for samples"};
  // Records and windows are copied as they lie, with the gaps between them.
  if (cudaMemset(sampler.device_.get(), 0, bytes) != cudaSuccess ||
      cudaStreamSynchronize(nullptr) != cudaSuccess)
    return Status{ErrorCode::device_error, 0, "device memory for samples"};
  sampler.host_ = pinned_memory(bytes);
  if (sampler.host_ == nullptr) return Status{ErrorCode::out_of_memory, 0, "no pinned memory for samples"};
  sampler.copied_ = new_event();
  if (sampler.copied_ == nullptr) return Status{ErrorCode::device_error, 0, "an event for samples"};
  return sampler;
}

Status ColumnSampler::begin(const void* values, std::uint64_t count, cudaStream_t stream) {
  if (count == 0 || count > max_words_)
    return {ErrorCode::invalid_argument, 0, "a column is longer than its sampler was made for, or empty"};
  column_.values = values;
  column_.count = count;
  const std::uint64_t bytes = sample_bytes(column_);
  if (const Status status = sample_async({&column_, 1}, device_.get(), device_.get() + bytes, stream);
      !status.ok())
    return status;
  cuda::CudaCalls calls;
  calls.check(cudaMemcpyAsync(host_.get(), device_.get(), bytes, cudaMemcpyDeviceToHost, stream));
  calls.check(cudaEventRecord(copied_.get(), stream));
  return calls.status();
}

Status ColumnSampler::wait() {
  cuda::CudaCalls calls;
  calls.check(cudaEventSynchronize(copied_.get()));
  return calls.status();
}

const trees::Statistics& ColumnSampler::statistics(std::uint64_t segment) const {
  return *reinterpret_cast<const trees::Statistics*>(host_.get() + segment * SampleLayout(column_).stride);
}

trees::SegmentWindows ColumnSampler::windows(std::uint64_t segment) const {
  return {column_.type, column_.segment_count(segment),
          host_.get() + segment * SampleLayout(column_).stride + SampleLayout::record_bytes};
}

}  // namespace floe::series_cuda
