// Which members a ZIP file has, by its directory.
#pragma once

#include <string>
#include <vector>

#include "input/input_file.hpp"
#include "input/unpacker.hpp"

namespace floe::cli {

struct ZipMember {
  std::string name;
  Packing packing = Packing::stored;
  std::uint64_t offset = 0, packed_bytes = 0;
  PackedContent content;
};

/// All but folders, in the order of the directory. Throws a Failure if the file is no ZIP file, is damaged,
/// or has members that are encrypted or packed by other methods than deflate.
std::vector<ZipMember> members_of_zip(const InputFile& file);

}  // namespace floe::cli
