// The kernels of spratio, dpratio and gfc, for the Kernels of an instruction set that has them (kernels.hpp).
static std::size_t encode_ratio32(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                                  core::MemoryTraffic* traffic) noexcept;
static bool decode_ratio32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t* scratch,
                           core::MemoryTraffic* traffic) noexcept;
static std::size_t encode_ratio64(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                                  core::MemoryTraffic* traffic) noexcept;
static bool decode_ratio64(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t* scratch,
                           core::MemoryTraffic* traffic) noexcept;
static std::size_t encode_gfc32(const std::uint8_t* chunk, std::uint8_t* out, unsigned dimensionality,
                                core::MemoryTraffic* traffic) noexcept;
static std::size_t encode_gfc64(const std::uint8_t* chunk, std::uint8_t* out, unsigned dimensionality,
                                core::MemoryTraffic* traffic) noexcept;
static bool decode_gfc32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, unsigned dimensionality,
                         core::MemoryTraffic* traffic) noexcept;
static bool decode_gfc64(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, unsigned dimensionality,
                         core::MemoryTraffic* traffic) noexcept;
