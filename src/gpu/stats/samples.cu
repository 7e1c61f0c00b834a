#include "gpu/host/launch.hpp"
#include "gpu/stats/samples.hpp"
#include "gpu/stats/statistics_block.cuh"

namespace floe::series_cuda {
namespace {

std::uint64_t slabs_of_segment(const SegmentedColumn& column) {
  return core::divide_up(std::min(column.segment_words, column.count) * size_of(column.type), slab_bytes);
}

/// Which kernel a type needs.
unsigned kernel_of(DType type) {
  if (is_float(type)) return type == DType::f32 ? 4 : 5;
  return core::bit_length(static_cast<std::uint32_t>(size_of(type))) - 1;
}

constexpr unsigned kernel_count = 6;
void (*const kernels[kernel_count])(SampleJob) = {
    sample_columns<std::uint8_t, false>,  sample_columns<std::uint16_t, false>,
    sample_columns<std::uint32_t, false>, sample_columns<std::uint64_t, false>,
    sample_columns<std::uint32_t, true>,  sample_columns<std::uint64_t, true>};

void launch_job(cuda::CudaCalls& calls, unsigned kernel, SampleJob& job, cudaStream_t stream) {
  if (job.column_count > 0)
    cuda::launch(calls, kernels[kernel], {job.slabs, statistics_threads, 0}, job, stream);
  job = {};
}

}  // namespace

std::uint64_t sample_workspace_bytes(std::span<const SegmentedColumn> columns) {
  std::uint64_t segments = 0;
  for (const SegmentedColumn& column : columns) segments += column.segments();
  return segments * sizeof(StatisticsSums);
}

Status sample_async(std::span<const SegmentedColumn> columns, std::uint8_t* samples, std::uint8_t* workspace,
                    cudaStream_t stream) {
  cuda::CudaCalls calls;
  calls.check(cudaMemsetAsync(workspace, 0, sample_workspace_bytes(columns), stream));
  SampleJob jobs[kernel_count] = {};
  auto* sums = reinterpret_cast<StatisticsSums*>(workspace);
  for (const SegmentedColumn& column : columns) {
    const std::uint64_t segments = column.segments();
    if (segments == 0) continue;
    const unsigned kernel = kernel_of(column.type);
    SampleJob& job = jobs[kernel];
    const std::uint64_t slabs = slabs_of_segment(column);
    if (job.column_count == SampleJob::max_columns || job.slabs + segments * slabs > 0x7FFFFFFF)
      launch_job(calls, kernel, job, stream);
    job.columns[job.column_count++] = {column.values,
                                       column.count,
                                       column.segment_words,
                                       samples,
                                       SampleLayout(column).stride,
                                       sums,
                                       job.slabs,
                                       static_cast<std::uint32_t>(slabs),
                                       column.type};
    job.slabs += static_cast<std::uint32_t>(segments * slabs);
    samples += sample_bytes(column);
    sums += segments;
  }
  for (unsigned kernel = 0; kernel < kernel_count; ++kernel) launch_job(calls, kernel, jobs[kernel], stream);
  return calls.status();
}

}  // namespace floe::series_cuda
