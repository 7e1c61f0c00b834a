// The kernels of spspeed and dpspeed, for the Kernels of an instruction set that has them (kernels.hpp).
static std::size_t encode_speed32(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                                  core::MemoryTraffic* traffic) noexcept;
static std::size_t encode_speed64(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                                  core::MemoryTraffic* traffic) noexcept;
static bool decode_speed32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                           core::MemoryTraffic* traffic) noexcept;
static bool decode_speed64(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                           core::MemoryTraffic* traffic) noexcept;
