// Do devices refuse changed frames as the CPU does, or decode them alike, and touch nothing around the
// outputs?
#include "core/chunk.hpp"
#include "tests/cuda/device_batch.hpp"
#include "tests/support/reseal.hpp"
#include "tree/plan.hpp"

namespace floe::test {
namespace {

/// Changes a few bytes, or the length; most often makes the checksums right again, so that what lies behind
/// them sees the change.
void change(Bytes& frame, Random& random) {
  const auto any_position = [&] {
    switch (random.below(4)) {
      case 0:
        return random.below(std::min<std::size_t>(frame.size(), 160));
      case 1:
        return frame.size() - 1 - random.below(std::min<std::size_t>(frame.size(), 120));
      default:
        return random.below(frame.size());
    }
  };
  if (random.below(20) == 0) return;  // as it was
  for (std::uint64_t count = 1 + random.below(3); count > 0; --count) {
    switch (random.below(4)) {
      case 0:
        frame[any_position()] = static_cast<std::uint8_t>(random.next());
        break;
      case 1:
        frame[any_position()] += static_cast<std::uint8_t>(random.below(3) - 1);
        break;
      default:
        frame[any_position()] ^= static_cast<std::uint8_t>(1u << random.below(8));
    }
  }
  if (random.below(30) == 0) frame.resize(random.below(frame.size() + 1));
  if (random.below(4) != 0) reseal(frame);
}

/// Whether devices read a tree.
bool is_read_by_devices(const std::string& tree, DType dtype) {
  const auto plan = trees::plan_from_text(tree, dtype).value();
  return std::all_of(plan.nodes.begin(), plan.nodes.end(),
                     [](const trees::PlanNode& node) { return trees::is_decoded_by_devices(node.encoding); });
}

/// Whether a good frame is an array of the case's type, and all its segments are of the case's codec, or of
/// trees.
bool is_of_kind(const Bytes& frame, const ArrayCase& c) {
  const Reader reader = Reader::open(view_of(frame)).value();
  if (reader.info().content != floe::Content::array || reader.info().dtype != c.dtype) return false;
  // Devices read segments of one length, in whole chunks; but for a shorter last one.
  const bool is_tree = c.tree.find(',') != std::string::npos || c.tree == "bitpack";
  const std::uint64_t length = reader.info().max_segment_length, count = reader.info().segment_count;
  if (!is_tree && count > 1 && length * size_of(c.dtype) % core::chunk_bytes != 0) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (reader.segment(i).value().first != i * length) return false;
    const std::string tree = reader.segment(i).value().columns.at(0).trees.at(0);
    if (is_tree ? !is_read_by_devices(tree, c.dtype) : tree.substr(0, tree.find('(')) != c.tree) return false;
  }
  return true;
}

/// Decodes many changed frames at once: every one is refused or decoded as by the CPU, and nothing around the
/// outputs is touched.
TEST(CudaCalls, DamagedFramesHarmNobody) {
  FLOE_NEEDS_DEVICE();
  Random random(99);
  const std::vector<ArrayCase> cases = supported_cases();
  std::size_t accepted = 0, refused = 0, round = 0;
  const std::size_t count = mutations(100000);
  while (accepted + refused < count) {
    const ArrayCase& c = cases[round % cases.size()];
    Options options = c.options();
    options.checksum = random.below(3) != 0;
    options.segment_bytes = core::chunk_bytes * (1 + random.below(3));
    Batch batch;
    std::vector<Bytes> contents;
    for (std::size_t i = 0; i < 1000; ++i) {
      const std::size_t size =
          (i % 40 == 0 ? random.below(70000) : random.below(1500)) / c.word_bytes() * c.word_bytes();
      contents.push_back(c.sample(random.below(content_names().size()), size, ++round));
      Bytes frame = frame_of(contents.back(), c.dtype, options);
      change(frame, random);
      batch.add(frame, size);
    }
    batch.decompress({c.dtype, c.tree, options.segment_bytes});
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const Decoded cpu = decode_memory(batch.in[i]);
      const bool fits = cpu.content.size() <= contents[i].size();
      const bool good = batch.results[i].code == 0;
      (good ? accepted : refused) += 1;
      // Frames of another type or codec are none of those that were asked for.
      const bool wanted = cpu.status.ok() && is_of_kind(batch.in[i], c);
      ASSERT_EQ(good, cpu.status.ok() && fits && wanted)
          << c.name() << " " << i << " " << cpu.status.message() << " device: " << batch.results[i].code
          << " at " << batch.results[i].byte_offset;
      if (good) {
        ASSERT_TRUE(batch.out[i] == cpu.content) << c.name() << " " << i;
      }
    }
  }
  EXPECT_GT(accepted, 10u);
  EXPECT_GT(refused, 10u);
}

}  // namespace
}  // namespace floe::test
