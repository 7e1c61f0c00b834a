#include "input/packed_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/failure.hpp"
#include "input/foreign_file.hpp"
#include "input/zip_members.hpp"

namespace floe::cli {
namespace {

constexpr std::string_view gzip_suffix = ".gz", arrays_suffix = ".npz", tensors_suffix = ".safetensors";

/// Whether the user leaves it to the program, or says `kind`, what a file holds.
bool may_be(const Arguments& arguments, Kind kind) {
  return (arguments.kind == Kind::automatic || arguments.kind == kind) && !arguments.array.dtype &&
         arguments.array.shape.empty() && arguments.container == Container::floe;
}

}  // namespace

bool is_packed_text(const Arguments& arguments, const std::string& file) {
  return (file.ends_with(".csv.gz") || file.ends_with(".tsv.gz")) && may_be(arguments, Kind::csv);
}

bool is_packed_arrays(const Arguments& arguments, const std::string& file) {
  return file.ends_with(arrays_suffix) && may_be(arguments, Kind::array);
}

bool is_named_tensors(const Arguments& arguments, const std::string& file) {
  return file.ends_with(tensors_suffix) && may_be(arguments, Kind::safetensors) &&
         arguments.table.schema_file.empty() && arguments.table.separator == 0;
}

bool is_tensors(const Arguments& arguments, const std::string& file, std::span<const std::byte> begin) {
  return arguments.kind == Kind::safetensors ||
         (is_named_tensors(arguments, file) && begins_as_tensors(begin));
}

InputFile open_content(const Arguments& arguments, const std::string& file, bool allow_special) {
  InputFile source = InputFile::open(file, allow_special);
  if (!is_packed_text(arguments, file) || !S_ISREG(source.attributes().st_mode)) return source;
  std::array<std::byte, 2> begin{};
  const bool is_gzip = source.read_at(0, begin) && begin[0] == std::byte{0x1f} && begin[1] == std::byte{0x8b};
  if (is_gzip) source.unpack({});
  return source;
}

std::string name_of_text(const std::string& file) { return file.substr(0, file.size() - gzip_suffix.size()); }

void for_each_member(const std::string& file,
                     const std::function<void(InputFile& member, const std::string& name)>& work) {
  const std::vector<ZipMember> members = members_of_zip(InputFile::open(file, false));
  if (members.empty()) throw Failure(ExitCode::error, file, "holds no arrays");
  const std::string base = file.substr(0, file.size() - arrays_suffix.size());
  for (const ZipMember& member : members) {
    std::string name = member.name;
    std::replace(name.begin(), name.end(), '/', '_');
    std::replace(name.begin(), name.end(), '\0', '_');
    InputFile source = InputFile::open(file, false);
    source.unpack(
        {member.packing, member.offset, member.packed_bytes, member.content, file + ": " + member.name});
    work(source, base + "." + name);
  }
}

}  // namespace floe::cli
