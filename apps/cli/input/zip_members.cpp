#include "input/zip_members.hpp"

#include <algorithm>
#include <string_view>

#include "base/failure.hpp"

namespace floe::cli {
namespace {

// Records of the format (APPNOTE.TXT 4.3), without what is of any length behind them.
constexpr std::size_t end_bytes = 22, locator_bytes = 20, far_end_bytes = 56, entry_bytes = 46,
                      member_bytes = 30;
constexpr std::uint64_t max_comment_bytes = 65535, max_directory_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t far16 = 0xffff, far32 = 0xffffffff;  // the number stands in a record of ZIP64
constexpr std::uint64_t far_numbers = 1;                     // such a record's id
constexpr std::uint64_t is_encrypted = 1, method_stored = 0, method_deflate = 8;

[[noreturn]] void refuse(const InputFile& file, const char* cause) {
  throw Failure(ExitCode::corrupt, file.label(), cause);
}

/// A number of so many bytes. Precondition: they are there.
std::uint64_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return value;
}

std::vector<std::byte> read_part(const InputFile& file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.file_bytes() || size > file.file_bytes() - offset)
    refuse(file, "is damaged: its directory leads beyond its end");
  std::vector<std::byte> bytes(size);
  if (!file.read_at(offset, bytes)) refuse(file, "shrank while it was read");
  return bytes;
}

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), reinterpret_cast<const char*>(bytes.data()));
}

/// The directory's bytes.
std::vector<std::byte> directory_of(const InputFile& file) {
  const std::uint64_t size = file.file_bytes(), tail_bytes = std::min(size, end_bytes + max_comment_bytes);
  const std::vector<std::byte> tail = read_part(file, size - tail_bytes, tail_bytes);
  for (std::size_t at = tail.size(); at-- > 0;) {
    const std::span<const std::byte> end = std::span(tail).subspan(at);
    if (end.size() < end_bytes || !begins_with(end, "PK\5\6")) continue;
    if (number(end, 20, 2) != end.size() - end_bytes) continue;
    std::uint64_t directory_bytes = number(end, 12, 4), offset = number(end, 16, 4);
    const std::uint64_t end_offset = size - end.size();
    if ((directory_bytes == far32 || offset == far32 || number(end, 10, 2) == far16) &&
        end_offset >= locator_bytes) {
      const auto locator = read_part(file, end_offset - locator_bytes, locator_bytes);
      if (begins_with(locator, "PK\6\7")) {
        const auto far = read_part(file, number(locator, 8, 8), far_end_bytes);
        if (!begins_with(far, "PK\6\6")) refuse(file, "is damaged: its ZIP64 directory is not found");
        directory_bytes = number(far, 40, 8);
        offset = number(far, 48, 8);
      }
    }
    if (directory_bytes > max_directory_bytes) refuse(file, "has a ZIP directory of more than 64 MiB");
    return read_part(file, offset, directory_bytes);
  }
  refuse(file, "is no ZIP file: it has no directory");
}

/// Numbers of an entry that have no room there stand in its extra fields, in this order.
void take_far_numbers(std::span<const std::byte> extra, std::initializer_list<std::uint64_t*> numbers) {
  while (extra.size() >= 4) {
    const std::size_t size = std::min<std::size_t>(number(extra, 2, 2), extra.size() - 4);
    std::span<const std::byte> field = extra.subspan(4, size);
    if (number(extra, 0, 2) == far_numbers) {
      for (std::uint64_t* const value : numbers) {
        if (*value != far32 || field.size() < 8) continue;
        *value = number(field, 0, 8);
        field = field.subspan(8);
      }
      return;
    }
    extra = extra.subspan(4 + size);
  }
}

/// Where the bytes of a member begin, behind a header of its own.
std::uint64_t content_offset(const InputFile& file, std::uint64_t offset) {
  const auto header = read_part(file, offset, member_bytes);
  if (!begins_with(header, "PK\3\4")) refuse(file, "is damaged: a member is not where its directory says");
  return offset + member_bytes + number(header, 26, 2) + number(header, 28, 2);
}

}  // namespace

std::vector<ZipMember> members_of_zip(const InputFile& file) {
  const std::vector<std::byte> directory = directory_of(file);
  std::vector<ZipMember> members;
  std::span<const std::byte> rest = directory;
  while (!rest.empty()) {
    if (rest.size() < entry_bytes || !begins_with(rest, "PK\1\2"))
      refuse(file, "has a damaged ZIP directory");
    const std::uint64_t flags = number(rest, 8, 2), method = number(rest, 10, 2);
    const std::size_t name_bytes = number(rest, 28, 2), extra_bytes = number(rest, 30, 2),
                      all_bytes = entry_bytes + name_bytes + extra_bytes + number(rest, 32, 2);
    if (rest.size() < all_bytes) refuse(file, "has a damaged ZIP directory");
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(rest.data()) + entry_bytes, name_bytes);
    member.content.crc = static_cast<std::uint32_t>(number(rest, 16, 4));
    member.packed_bytes = number(rest, 20, 4);
    member.content.bytes = number(rest, 24, 4);
    std::uint64_t offset = number(rest, 42, 4);
    take_far_numbers(rest.subspan(entry_bytes + name_bytes, extra_bytes),
                     {&member.content.bytes, &member.packed_bytes, &offset});
    rest = rest.subspan(all_bytes);
    if (member.name.ends_with('/')) continue;
    if ((flags & is_encrypted) != 0 || (method != method_stored && method != method_deflate))
      refuse(file, "has members that are encrypted, or packed by another method than deflate");
    member.packing = method == method_stored ? Packing::stored : Packing::deflate;
    member.offset = content_offset(file, offset);
    if (member.offset > file.file_bytes() || member.packed_bytes > file.file_bytes() - member.offset)
      refuse(file, "is damaged: a member reaches beyond its end");
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace floe::cli
