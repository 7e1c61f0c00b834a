// Does every instruction set compute the same checksum, at every length and address?
#include <gtest/gtest.h>

#include "chunks/cpu/checksum.hpp"
#include "core/chunk_checksum.hpp"
#include "tests/support/data.hpp"

namespace floe::test {
namespace {

class ChecksumIdentity : public testing::TestWithParam<cpu::Isa> {
 protected:
  [[nodiscard]] std::uint32_t checksum(const std::uint8_t* payload, std::size_t padded_bytes) const {
    core::RunningChecksum running(payload, padded_bytes);
    return cpu::finish_checksum_function(GetParam())(running);
  }
};

TEST_P(ChecksumIdentity, EveryLength) {
  for (std::size_t content = 0; content < content_names().size(); ++content) {
    for (std::size_t size = 0; size <= core::chunk_bytes; size += size < 1024 ? 16 : 336) {
      const Bytes payload =
          make_bytes(64, content, size, size);  // of exactly this size, so that reading on is found
      ASSERT_EQ(checksum(payload.data(), size), core::chunk_checksum(payload.data(), size)) << size;
    }
    const Bytes payload = make_bytes(64, content, core::chunk_bytes, 1);
    ASSERT_EQ(checksum(payload.data(), payload.size()), core::chunk_checksum(payload.data(), payload.size()));
  }
}

TEST_P(ChecksumIdentity, EveryAlignment) {
  const Bytes payload = make_bytes(64, 8, 4096 + 48, 3);
  for (std::size_t offset = 0; offset < 65; ++offset) {
    Bytes moved(offset);
    moved.insert(moved.end(), payload.begin(), payload.end());
    EXPECT_EQ(checksum(moved.data() + offset, payload.size()),
              core::chunk_checksum(payload.data(), payload.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(, ChecksumIdentity,
                         testing::ValuesIn(cpu::available_isas().begin(), cpu::available_isas().end()),
                         [](const auto& test) { return std::string(cpu::name_of(test.param)); });

}  // namespace
}  // namespace floe::test
