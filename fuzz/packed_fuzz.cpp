// Does the program take any bytes for an .npz file, or for text in a gzip file, without harm, and does all
// come back that was packed?
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <string>

#include "base/failure.hpp"
#include "fuzz/support.hpp"
#include "input/array_description.hpp"
#include "input/input_file.hpp"
#include "input/zip_members.hpp"

namespace floe::fuzz {
namespace {

constexpr std::size_t max_read_bytes = std::size_t{256}
                                       << 10;  ///< Of a member: a few bytes may hold megabytes.
constexpr unsigned changes = 12;

/// Bytes that have a name, which is what the program opens.
class MemoryFile {
 public:
  explicit MemoryFile(const Bytes& bytes) : descriptor_(::memfd_create("packed", MFD_CLOEXEC)) {
    require(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] cli::InputFile open() const {
    return cli::InputFile::open("/proc/self/fd/" + std::to_string(descriptor_), false);
  }

 private:
  int descriptor_;
};

/// Reads in pieces of several lengths; more than the limit is not read.
Bytes contents_of(cli::InputFile& source) {
  Bytes all;
  for (std::size_t piece = 1; all.size() < max_read_bytes; piece = 3 * piece + 1) {
    const std::size_t used = all.size();
    all.resize(used + piece);
    const std::size_t got = source.read(std::as_writable_bytes(std::span(all).subspan(used)));
    require(got <= piece);
    all.resize(used + got);
    if (got < piece) break;
  }
  return all;
}

std::uint32_t crc_of(const Bytes& bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, bytes.data(), bytes.size()));
}

/// What a member is taken for fits into it.
void describe(const Bytes& begin, std::uint64_t size_bytes) {
  try {
    const auto array = cli::describe_array({}, "x.npy", std::as_bytes(std::span(begin)), size_bytes);
    require(array.prefix_bytes <= begin.size());
    if (const auto expected = array.expected_bytes()) require(*expected <= size_bytes);
  } catch (const cli::Failure&) {  // an array that is not all there
  }
}

Bytes member_of(const MemoryFile& file, const cli::ZipMember& member) {
  cli::InputFile source = file.open();
  source.unpack({member.packing, member.offset, member.packed_bytes, member.content, member.name});
  Bytes all = contents_of(source);
  require(all.size() >= max_read_bytes ||
          (all.size() == member.content.bytes && crc_of(all) == member.content.crc));
  describe(all, member.content.bytes);
  return all;
}

/// The members of anything; those that were read before something was refused.
std::vector<Bytes> members_of(const Bytes& bytes) {
  count_decoded();
  std::vector<Bytes> members;
  try {
    const MemoryFile file(bytes);
    for (const cli::ZipMember& member : cli::members_of_zip(file.open()))
      members.push_back(member_of(file, member));
  } catch (const cli::Failure&) {
  }
  return members;
}

/// The text of anything, if it is one.
bool text_of(const Bytes& bytes, Bytes& text) {
  count_decoded();
  try {
    const MemoryFile file(bytes);
    cli::InputFile source = file.open();
    source.unpack({});
    text = contents_of(source);
    return true;
  } catch (const cli::Failure&) {
    return false;
  }
}

/// `window_bits` as zlib has them: -15 for deflate alone, 31 for gzip.
Bytes packed(const Bytes& bytes, int window_bits) {
  z_stream z{};
  require(::deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  Bytes out(::deflateBound(&z, static_cast<uLong>(bytes.size())) + 32);
  z.next_in = const_cast<Bytef*>(bytes.data());
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  require(::deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  ::deflateEnd(&z);
  return out;
}

void put(Bytes& to, const std::string& magic,
         std::initializer_list<std::pair<std::uint64_t, unsigned>> numbers) {
  to.insert(to.end(), magic.begin(), magic.end());
  for (const auto& [number, width] : numbers)
    for (unsigned byte = 0; byte < width; ++byte)
      to.push_back(static_cast<std::uint8_t>(number >> (8 * byte)));
}

/// A ZIP file of members, with or without the numbers of ZIP64.
Bytes zip_of(const std::vector<Bytes>& members, bool is_deflated, bool is_far) {
  constexpr std::uint64_t far32 = 0xffffffff;
  Bytes file, directory;
  for (const Bytes& member : members) {
    const Bytes stored = is_deflated ? packed(member, -15) : member;
    const std::uint64_t offset = file.size(), crc = crc_of(member), method = is_deflated ? 8 : 0;
    const std::uint64_t extra = is_far ? 28 : 0;
    put(file, "PK\3\4",
        {{45, 2},
         {0, 2},
         {method, 2},
         {0, 4},
         {crc, 4},
         {stored.size(), 4},
         {member.size(), 4},
         {1, 2},
         {0, 2}});
    put(file, "x", {});
    file.insert(file.end(), stored.begin(), stored.end());
    put(directory, "PK\1\2", {{45, 4}, {0, 2}, {method, 2}, {0, 4}, {crc, 4}});
    put(directory, "", {{is_far ? far32 : stored.size(), 4}, {is_far ? far32 : member.size(), 4}});
    put(directory, "", {{1, 2}, {extra, 2}, {0, 2}, {0, 4}, {0, 4}, {is_far ? far32 : offset, 4}});
    put(directory, "x", {});
    if (is_far) put(directory, "", {{1, 2}, {24, 2}, {member.size(), 8}, {stored.size(), 8}, {offset, 8}});
  }
  const std::uint64_t offset = file.size(), size = directory.size(), count = members.size();
  file.insert(file.end(), directory.begin(), directory.end());
  if (is_far) {
    const std::uint64_t end = file.size();
    put(file, "PK\6\6", {{44, 8}, {45, 4}, {0, 8}, {count, 8}, {count, 8}, {size, 8}, {offset, 8}});
    put(file, "PK\6\7", {{0, 4}, {end, 8}, {1, 4}});
  }
  put(file, "PK\5\6", {{0, 4}, {count, 2}, {count, 2}, {size, 4}, {is_far ? far32 : offset, 4}, {0, 2}});
  return file;
}

void pack_members(Input input, std::uint8_t choice) {
  std::vector<Bytes> members(1 + choice % 3);
  const Bytes all = input.rest();
  for (std::size_t i = 0; i < all.size(); ++i) members[i * members.size() / all.size()].push_back(all[i]);
  const Bytes file = zip_of(members, (choice & 4) != 0, (choice & 8) != 0);
  bool is_changed = false;
  with_changes(file, changes, [&](const Bytes& bytes) {
    const std::vector<Bytes> found = members_of(bytes);
    require(is_changed || found == members);
    is_changed = true;
  });
}

void pack_text(Input input) {
  const Bytes text = input.rest();
  bool is_changed = false;
  with_changes(packed(text, 31), changes, [&](const Bytes& bytes) {
    Bytes found;
    require((text_of(bytes, found) && found == text) || is_changed);
    is_changed = true;
  });
}

void run_packed_files(Input input) {
  const auto choice = input.take<std::uint8_t>();
  Bytes text;
  switch (choice >> 6) {
    case 0:
      return with_changes(input.rest(), changes,
                          [&](const Bytes& bytes) { static_cast<void>(members_of(bytes)); });
    case 1:
      return with_changes(input.rest(), changes,
                          [&](const Bytes& bytes) { static_cast<void>(text_of(bytes, text)); });
    case 2:
      return pack_members(input, choice);
    default:
      return pack_text(input);
  }
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_packed_files({data, size});
  return 0;
}
