// What a compressed safetensors file says about itself, in words and as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.hpp"
#include "input/input_file.hpp"
#include "tensors/packed_tensors.hpp"

namespace floe::cli {

/// What its header says.
Json tensors_as_json(const std::string& file, const PackedTensors& packed);

/// The same, and how each tensor is stored. Throw a Failure if a frame is damaged.
Json inspected_as_json(const std::string& file, const InputFile& source, const PackedTensors& packed,
                       std::uint64_t memory_limit_bytes);
void print_inspected(const InputFile& source, const PackedTensors& packed, std::uint64_t memory_limit_bytes);

}  // namespace floe::cli
