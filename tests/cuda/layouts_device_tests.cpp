// Tests of layouts of batches on a device: out of slots, into packed memory and back, with the frames of the
// CPU.
#include "floe/cuda.hpp"

#include "core/chunk.hpp"
#include "tests/cuda/device_memory.hpp"

namespace floe::test {
namespace {

template <class T>
T* as(const DeviceMemory& memory) {
  return reinterpret_cast<T*>(memory.data());
}
template <class T>
std::vector<T> values(const DeviceMemory& memory) {
  const Bytes bytes = memory.read();
  std::vector<T> all(bytes.size() / sizeof(T));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

/// Arrays of equal size in a row, with slots for their frames, and what the CPU makes of them.
struct Slots {
  static constexpr std::uint64_t array_bytes = 5 * core::chunk_bytes / 2 + 4;
  std::uint64_t count, slot_bytes;
  Options options;
  std::vector<Bytes> arrays, frames;
  DeviceMemory in, slots, items, results;

  Slots(std::uint64_t arrays_in_all, std::uint64_t room, std::uint64_t seed)
      : count(arrays_in_all),
        slot_bytes(room),
        in(count * array_bytes),
        slots(count * room),
        items(count * sizeof(cuda::BatchItem)),
        results(count * sizeof(cuda::ItemResult)) {
    options.tree = "spspeed";
    for (std::uint64_t i = 0; i < count; ++i) {
      arrays.push_back(make_bytes(32, (seed + i) % content_names().size(), array_bytes, i));
      frames.push_back(frame_of(arrays.back(), DType::f32, options));
      in.write(arrays.back(), i * array_bytes);
    }
  }
  void compress() {
    const DeviceMemory workspace(
        *cuda::compress_workspace_size(count * array_bytes, count, DType::f32, options));
    ASSERT_TRUE(cuda::strided_items_async(as<cuda::BatchItem>(items), count,
                                          {in.data(), array_bytes, array_bytes},
                                          {slots.data(), slot_bytes, slot_bytes}, nullptr)
                    .ok());
    const Status status =
        cuda::compress_batch_async(as<cuda::BatchItem>(items), count, count * array_bytes, DType::f32,
                                   options, as<cuda::ItemResult>(results), workspace_of(workspace), nullptr);
    expect_cuda(cudaDeviceSynchronize());
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_TRUE(workspace.is_intact() && slots.is_intact() && items.is_intact());
  }
  /// Of the frames that fit their slots, one behind the other.
  [[nodiscard]] Bytes packed() const {
    Bytes all;
    for (const Bytes& frame : frames) {
      if (frame.size() > slot_bytes) continue;
      all.insert(all.end(), frame.begin(), frame.end());
      all.resize((all.size() + 15) / 16 * 16);
    }
    return all;
  }
};

constexpr std::uint64_t roomy = 49152, tight = 30720;  // for all frames, and for some

TEST(CudaLayouts, FramesArePackedAndComeBack) {
  FLOE_NEEDS_DEVICE();
  for (const std::uint64_t count : {1, 2, 700, 1500}) {
    for (const std::uint64_t room : {roomy, tight}) {
      Slots slots(count, room, count);
      ASSERT_NO_FATAL_FAILURE(slots.compress());
      const Bytes expected = slots.packed();
      const DeviceMemory packed(expected.size() + 16), positions(count * sizeof(cuda::FrameRange)),
          items(count * sizeof(cuda::BatchItem));
      DeviceValue<cuda::ItemResult> result;
      ASSERT_TRUE(cuda::pack_frames_async(as<cuda::BatchItem>(slots.items),
                                          as<cuda::ItemResult>(slots.results), count, packed.data(),
                                          expected.size(), as<cuda::FrameRange>(positions), result.pointer(),
                                          nullptr)
                      .ok());
      expect_cuda(cudaDeviceSynchronize());
      ASSERT_EQ(result.get().code, 0u);
      ASSERT_EQ(result.get().bytes, expected.size());
      ASSERT_TRUE(packed.read(0, expected.size()) == expected);
      for (const std::uint8_t byte : packed.read(expected.size(), 16)) ASSERT_EQ(byte, 0xA5);
      const auto made = values<cuda::FrameRange>(positions);
      for (std::uint64_t i = 0; i < count; ++i)
        ASSERT_EQ(made[i].bytes, slots.frames[i].size() > room ? 0 : slots.frames[i].size());

      const DeviceMemory out(count * Slots::array_bytes), results(count * sizeof(cuda::ItemResult));
      const cuda::FrameKind kind{DType::f32, "spspeed"};
      const DeviceMemory workspace(*cuda::decompress_workspace_size(out.size(), count, kind));
      ASSERT_TRUE(cuda::packed_items_async(as<cuda::BatchItem>(items), count, packed.data(), expected.size(),
                                           as<cuda::FrameRange>(positions),
                                           {out.data(), Slots::array_bytes, Slots::array_bytes}, nullptr)
                      .ok());
      ASSERT_TRUE(cuda::decompress_batch_async(as<cuda::BatchItem>(items), count, out.size(), kind,
                                               as<cuda::ItemResult>(results), workspace_of(workspace),
                                               nullptr)
                      .ok());
      expect_cuda(cudaDeviceSynchronize());
      const auto read = values<cuda::ItemResult>(results);
      for (std::uint64_t i = 0; i < count; ++i) {
        if (slots.frames[i].size() > room) {
          ASSERT_NE(read[i].code, 0u) << i;
        } else {
          ASSERT_EQ(read[i].code, 0u) << i;
          ASSERT_TRUE(out.read(i * Slots::array_bytes, Slots::array_bytes) == slots.arrays[i]) << i;
        }
      }
      ASSERT_TRUE(packed.is_intact() && positions.is_intact() && items.is_intact() && out.is_intact());
    }
  }
}

TEST(CudaLayouts, RoomThatIsTooSmallIsReportedAndNotTouched) {
  FLOE_NEEDS_DEVICE();
  Slots slots(20, roomy, 3);
  ASSERT_NO_FATAL_FAILURE(slots.compress());
  const Bytes expected = slots.packed();
  const DeviceMemory packed(expected.size()), positions(20 * sizeof(cuda::FrameRange));
  for (const std::uint64_t room :
       {std::size_t{0}, std::size_t{15}, expected.size() / 2, expected.size() - 1}) {
    DeviceValue<cuda::ItemResult> result;
    ASSERT_TRUE(cuda::pack_frames_async(as<cuda::BatchItem>(slots.items), as<cuda::ItemResult>(slots.results),
                                        20, packed.data(), room, as<cuda::FrameRange>(positions),
                                        result.pointer(), nullptr)
                    .ok());
    expect_cuda(cudaDeviceSynchronize());
    EXPECT_EQ(result.get().code, static_cast<std::uint32_t>(ErrorCode::output_too_small));
    EXPECT_EQ(result.get().bytes, expected.size());
    for (const std::uint8_t byte : packed.read()) ASSERT_EQ(byte, 0xA5);
  }
}

TEST(CudaLayouts, PlacesOutsideOfThePackedMemoryAreNoFrames) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t max = ~std::uint64_t{0};
  const std::vector<cuda::FrameRange> wrong = {{0, 1025}, {1024, 1}, {max - 15, 32}, {16, max},
                                               {8, 100},  {1040, 0}, {1024, 0},      {16, 1008}};
  const DeviceMemory packed(1024), positions(wrong.size() * sizeof wrong[0]),
      items(wrong.size() * sizeof(cuda::BatchItem)), out(1024);
  positions.write({reinterpret_cast<const std::uint8_t*>(wrong.data()), positions.size()});
  ASSERT_TRUE(cuda::packed_items_async(as<cuda::BatchItem>(items), wrong.size(), packed.data(), 1024,
                                       as<cuda::FrameRange>(positions), {out.data(), 0, 1024}, nullptr)
                  .ok());
  expect_cuda(cudaDeviceSynchronize());
  const auto made = values<cuda::BatchItem>(items);
  for (std::size_t i = 0; i + 1 < wrong.size(); ++i) EXPECT_EQ(made[i].in_bytes, 0u) << i;
  EXPECT_EQ(made.back().in_bytes, 1008u);
  EXPECT_EQ(made.back().in, packed.data() + 16);
}

TEST(CudaLayouts, ArgumentsAreChecked) {
  FLOE_NEEDS_DEVICE();
  const DeviceMemory memory(256);
  auto* const items = as<cuda::BatchItem>(memory);
  auto* const results = as<cuda::ItemResult>(memory);
  auto* const positions = as<cuda::FrameRange>(memory);
  const auto is_invalid = [](const Status& status) { return status.code == ErrorCode::invalid_argument; };
  EXPECT_TRUE(is_invalid(
      cuda::strided_items_async(nullptr, 1, {memory.data(), 4, 4}, {memory.data(), 4, 4}, nullptr)));
  EXPECT_TRUE(
      is_invalid(cuda::strided_items_async(items, 1, {nullptr, 4, 4}, {memory.data(), 4, 4}, nullptr)));
  EXPECT_TRUE(is_invalid(
      cuda::pack_frames_async(items, results, 1, memory.data() + 8, 64, positions, results, nullptr)));
  EXPECT_TRUE(
      is_invalid(cuda::pack_frames_async(items, results, 1, memory.data(), 64, positions, nullptr, nullptr)));
  EXPECT_TRUE(is_invalid(
      cuda::pack_frames_async(nullptr, results, 1, memory.data(), 64, positions, results, nullptr)));
  EXPECT_TRUE(
      is_invalid(cuda::packed_items_async(items, 1, nullptr, 64, positions, {memory.data(), 4, 4}, nullptr)));
  EXPECT_TRUE(is_invalid(
      cuda::packed_items_async(items, 1, memory.data() + 4, 64, positions, {memory.data(), 4, 4}, nullptr)));
  EXPECT_TRUE(cuda::strided_items_async(nullptr, 0, {}, {}, nullptr).ok());
  DeviceValue<cuda::ItemResult> result;
  EXPECT_TRUE(
      cuda::pack_frames_async(nullptr, nullptr, 0, nullptr, 0, nullptr, result.pointer(), nullptr).ok());
  expect_cuda(cudaDeviceSynchronize());
  EXPECT_EQ(result.get().code, 0u);
  EXPECT_EQ(result.get().bytes, 0u);
}

}  // namespace
}  // namespace floe::test
