// The C ABI of devices does what the C++ functions do.
#include "core/splitmix.hpp"
#include "floe/floe_cuda.h"
#include "tests/cuda/device_memory.hpp"

namespace floe::test {
namespace {

TEST(CudaCApi, WorkspaceSizesNeedNoDevice) {
  std::uint64_t bytes = 0;
  floe_options options;
  floe_options_default(&options);
  for (const char* const tree : {"spspeed", "spratio", "sortable,bitpack"}) {
    options.tree = tree;
    EXPECT_EQ(floe_cuda_supports(FLOE_F32, &options), 1);
    EXPECT_EQ(floe_cuda_compress_workspace_size(&bytes, 1 << 20, 3, FLOE_F32, &options).code, FLOE_OK);
    Options same;
    same.tree = tree;
    EXPECT_EQ(bytes, *cuda::compress_workspace_size(1 << 20, 3, DType::f32, same));
  }
  const floe_cuda_frame_kind kind{FLOE_F64, "dpratio", 1 << 20}, no_tree{FLOE_F64, nullptr, 0};
  EXPECT_EQ(floe_cuda_decompress_workspace_size(&bytes, 1 << 20, 3, &kind).code, FLOE_OK);
  EXPECT_EQ(bytes, *cuda::decompress_workspace_size(1 << 20, 3, {DType::f64, "dpratio", 1 << 20}));

  const auto compress_code = [&](std::uint64_t* to, std::uint64_t total) {
    return floe_cuda_compress_workspace_size(to, total, 1, FLOE_F32, &options).code;
  };
  EXPECT_EQ(compress_code(&bytes, ~std::uint64_t{0}), FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(compress_code(nullptr, 1), FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_cuda_decompress_workspace_size(&bytes, 1, 1, &no_tree).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_cuda_decompress_workspace_size(&bytes, 1, 1, nullptr).code, FLOE_INVALID_ARGUMENT);
}

TEST(CudaCApi, LayoutsOfBatches) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory in(4096), slots(4096), packed(2048), items(2 * sizeof(floe_cuda_item)),
      ranges(2 * sizeof(floe_cuda_frame_range));
  const floe_cuda_strided arrays{in.data(), 1000, 1000}, rooms{slots.data(), 2048, 2048};
  auto* const device_items = reinterpret_cast<floe_cuda_item*>(items.data());
  auto* const device_ranges = reinterpret_cast<floe_cuda_frame_range*>(ranges.data());
  ASSERT_EQ(floe_cuda_strided_items_async(device_items, 2, &arrays, &rooms, nullptr).code, FLOE_OK);
  const floe_cuda_result results[2] = {{100, 0, FLOE_OK, 0}, {33, 0, FLOE_OK, 0}};
  const DeviceMemory made(Bytes(reinterpret_cast<const std::uint8_t*>(results),
                                reinterpret_cast<const std::uint8_t*>(results + 2)));
  DeviceValue<floe_cuda_result> all;
  ASSERT_EQ(floe_cuda_pack_frames_async(device_items, reinterpret_cast<const floe_cuda_result*>(made.data()),
                                        2, packed.data(), 2048, device_ranges, all.pointer(), nullptr)
                .code,
            FLOE_OK);
  ASSERT_EQ(
      floe_cuda_packed_items_async(device_items, 2, packed.data(), 2048, device_ranges, &arrays, nullptr)
          .code,
      FLOE_OK);
  expect_cuda(cudaDeviceSynchronize());
  EXPECT_EQ(all.get().code, FLOE_OK);
  EXPECT_EQ(all.get().bytes, 160u);
  const Bytes read = items.read();
  floe_cuda_item second;
  std::memcpy(&second, read.data() + sizeof second, sizeof second);
  EXPECT_EQ(second.in, packed.data() + 112);
  EXPECT_EQ(second.in_bytes, 33u);
  EXPECT_EQ(second.out, in.data() + 1000);
  EXPECT_EQ(floe_cuda_strided_items_async(device_items, 2, nullptr, &rooms, nullptr).code,
            FLOE_INVALID_ARGUMENT);
}

TEST(CudaCApi, ThereAndBack) {
  FLOE_NEEDS_DEVICE();
  const Bytes content = make_bytes(64, 5, 200000, 1);
  const std::uint64_t room = 300000;
  const DeviceMemory in(content), frame(room), out(content.size()), workspace(1 << 20);
  DeviceValue<floe_cuda_result> made, read;
  floe_options options;
  floe_options_default(&options);
  options.tree = "dpspeed";
  const floe_extent extent{{content.size() / 8}, 1};
  const floe_cuda_item item{in.data(), content.size(), frame.data(), room};
  ASSERT_EQ(floe_cuda_compress_async(&item, FLOE_F64, &extent, &options, made.pointer(), workspace.data(),
                                     workspace.size(), nullptr, nullptr)
                .code,
            FLOE_OK);
  expect_cuda(cudaDeviceSynchronize());
  ASSERT_EQ(made.get().code, FLOE_OK);
  Options same;
  same.tree = "dpspeed";
  EXPECT_TRUE(frame.read(0, made.get().bytes) == frame_of(content, DType::f64, same));
  const floe_cuda_item back{frame.data(), room, out.data(), content.size()};
  const floe_cuda_frame_kind kind{FLOE_F64, "dpspeed", 0};
  ASSERT_EQ(floe_cuda_decompress_slice_async(&back, &kind, 0, UINT64_MAX, read.pointer(), workspace.data(),
                                             workspace.size(), nullptr, &made.pointer()->bytes)
                .code,
            FLOE_OK);
  expect_cuda(cudaDeviceSynchronize());
  EXPECT_EQ(read.get().code, FLOE_OK);
  EXPECT_TRUE(out.read() == content);
  EXPECT_EQ(floe_cuda_compress_async(nullptr, FLOE_F64, &extent, &options, made.pointer(), workspace.data(),
                                     workspace.size(), nullptr, nullptr)
                .code,
            FLOE_INVALID_ARGUMENT);
}

TEST(CudaCApi, PlannedEncoderRefusesArguments) {
  floe_cuda_planned_encoder* encoder = nullptr;
  const floe_extent extent{{1000}, 1};
  std::uint64_t bytes = 0;
  std::size_t room = 0;
  EXPECT_EQ(floe_cuda_planned_encoder_create(nullptr, FLOE_F32, 0, 0, 0).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_cuda_planned_encoder_create(&encoder, FLOE_TEXT, 0, 0, 0).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_cuda_planned_encoder_create(&encoder, FLOE_F32, 1024, 1000, 0).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(encoder, nullptr);
  EXPECT_EQ(floe_cuda_planned_encoder_max_size(&bytes, nullptr, FLOE_F32, &extent, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(
      floe_cuda_planned_encoder_compress(nullptr, nullptr, &room, nullptr, 0, FLOE_F32, &extent, nullptr)
          .code,
      FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_cuda_planned_encoder_compress_on_stream(nullptr, nullptr, FLOE_F32, &extent, nullptr,
                                                         nullptr, nullptr)
                .code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_cuda_planned_encoder_forget(nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_cuda_planned_encoder_close(nullptr);
}

/// The frames are those of the C++ class, in memory of the host and of the device.
TEST(CudaCApi, TreesChosenForDevices) {
  FLOE_NEEDS_DEVICE();
  constexpr std::uint32_t segment_words = 16384;
  const std::uint64_t count = 1'000'000;
  Bytes content(count * 8);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(i % 40'000 + core::splitmix(i) % 50) / 100;
    std::memcpy(content.data() + i * 8, &value, sizeof value);
  }
  const floe_extent extent{{1000, count / 1000}, 2};
  const char prefix[] = "before";
  floe_options options;
  floe_options_default(&options);
  options.prefix = prefix;
  options.prefix_bytes = sizeof prefix;
  Options same;
  same.prefix = std::as_bytes(std::span(prefix));
  auto expected = cuda::PlannedEncoder::create(DType::f64, count, segment_words, 8 * segment_words).value();

  floe_cuda_planned_encoder* encoder = nullptr;
  ASSERT_EQ(floe_cuda_planned_encoder_create(&encoder, FLOE_F64, segment_words, 0, count).code, FLOE_OK);
  std::uint64_t bound = 0;
  ASSERT_EQ(floe_cuda_planned_encoder_max_size(&bound, encoder, FLOE_F64, &extent, &options).code, FLOE_OK);
  EXPECT_EQ(bound, *expected.max_compressed_size(DType::f64, {{1000, count / 1000}, 2}, same));
  Bytes frame(bound), frame_of_class(bound), back(content.size());
  std::size_t bytes = frame.size();
  ASSERT_EQ(floe_cuda_planned_encoder_compress(encoder, frame.data(), &bytes, content.data(), content.size(),
                                               FLOE_F64, &extent, &options)
                .code,
            FLOE_OK);
  frame.resize(bytes);
  frame_of_class.resize(expected
                            .compress_into(room_of(frame_of_class), view_of(content), DType::f64,
                                           {{1000, count / 1000}, 2}, same)
                            .value());
  EXPECT_TRUE(frame == frame_of_class);
  EXPECT_LT(frame.size(), content.size() / 2);
  ASSERT_EQ(floe_decompress(back.data(), back.size(), frame.data(), frame.size(), nullptr).code, FLOE_OK);
  EXPECT_TRUE(back == content);

  const auto code = [&](std::size_t room, floe_dtype type, const char* tree) {
    floe_options other = options;
    other.tree = tree;
    EXPECT_EQ(floe_cuda_planned_encoder_forget(encoder).code, FLOE_OK);
    return floe_cuda_planned_encoder_compress(encoder, frame.data(), &room, content.data(), content.size(),
                                              type, &extent, &other)
        .code;
  };
  EXPECT_EQ(code(frame.size() - 1, FLOE_F64, nullptr), FLOE_OUTPUT_TOO_SMALL);
  EXPECT_EQ(code(frame.size(), FLOE_I64, nullptr), FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(code(frame.size(), FLOE_F64, "bitpack"), FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_cuda_planned_encoder_max_size(&bound, encoder, FLOE_F32, &extent, nullptr).code,
            FLOE_INVALID_ARGUMENT);

  ASSERT_EQ(floe_cuda_planned_encoder_forget(encoder).code, FLOE_OK);
  expected.forget();
  const DeviceMemory in(content), made(bound), made_by_class(bound);
  DeviceValue<floe_cuda_result> result;
  DeviceValue<cuda::ItemResult> result_of_class;
  const floe_cuda_item item{in.data(), content.size(), made.data(), bound};
  ASSERT_EQ(floe_cuda_planned_encoder_compress_on_stream(encoder, &item, FLOE_F64, &extent, nullptr,
                                                         result.pointer(), nullptr)
                .code,
            FLOE_OK);
  ASSERT_TRUE(expected
                  .compress({in.data(), content.size(), made_by_class.data(), bound}, DType::f64,
                            {{1000, count / 1000}, 2}, {}, result_of_class.pointer(), nullptr)
                  .ok());
  expect_cuda(cudaDeviceSynchronize());
  ASSERT_EQ(result.get().code, FLOE_OK);
  EXPECT_EQ(result.get().bytes, result_of_class.get().bytes);
  EXPECT_TRUE(made.read(0, result.get().bytes) == made_by_class.read(0, result.get().bytes));
  floe_cuda_planned_encoder_close(encoder);
}

TEST(CudaCApi, DevicesAreAnAccelerator) {
  FLOE_NEEDS_DEVICE();
  const Bytes content = make_bytes(64, 5, 400000, 1);
  floe_accelerator* devices = nullptr;
  ASSERT_EQ(floe_cuda_open_devices(&devices, nullptr, 0).code, FLOE_OK);
  floe_options options;
  floe_options_default(&options);
  options.tree = "dpspeed";
  options.accelerator = devices;
  const floe_extent extent{{content.size() / 8}, 1};
  Bytes frame(500000);
  std::size_t bytes = frame.size();
  ASSERT_EQ(
      floe_compress(frame.data(), &bytes, content.data(), content.size(), FLOE_F64, &extent, &options).code,
      FLOE_OK);
  frame.resize(bytes);
  Options same;
  same.tree = "dpspeed";
  EXPECT_TRUE(frame == frame_of(content, DType::f64, same));
  floe_accelerator_close(devices);
  const std::uint32_t none = 1000;
  EXPECT_EQ(floe_cuda_open_devices(&devices, &none, 1).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(devices, nullptr);
  EXPECT_EQ(floe_cuda_open_devices(&devices, nullptr, 1).code, FLOE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace floe::test
