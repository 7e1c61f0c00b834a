#include "input/unpacker.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/failure.hpp"

namespace floe::cli {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10;

}  // namespace

struct Unpacker::Stream {
  explicit Stream(Packing packing) : buffer(buffer_bytes) {
    // Windows of 2^15 bytes; negative without a header, 16 more with that of gzip.
    if (::inflateInit2(&z, packing == Packing::gzip ? 15 + 16 : -15) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { ::inflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream z{};
  std::vector<std::byte> buffer;
};

Unpacker::Unpacker(Packing packing, std::optional<PackedContent> content, std::string label)
    : packing_(packing), content_(content), label_(std::move(label)) {
  if (packing != Packing::stored) stream_ = std::make_unique<Stream>(packing);
}

Unpacker::~Unpacker() = default;

std::optional<std::uint64_t> Unpacker::size_bytes() const noexcept {
  return content_ ? std::optional(content_->bytes) : std::nullopt;
}

std::size_t Unpacker::read(std::span<std::byte> out, const Reader& read_packed) {
  std::size_t count = 0;
  while (count < out.size() && !has_ended_) {
    const std::span<std::byte> rest = out.subspan(count);
    const std::size_t got = stream_ ? inflate_some(rest, read_packed) : read_packed(rest);
    if (!stream_) has_ended_ = got < rest.size();
    check(rest.first(got));
    count += got;
  }
  return count;
}

/// Holds what came out against what should.
void Unpacker::check(std::span<const std::byte> out) {
  if (!content_) return;
  unpacked_bytes_ += out.size();
  crc_ = static_cast<std::uint32_t>(
      ::crc32_z(crc_, reinterpret_cast<const Bytef*>(out.data()), static_cast<z_size_t>(out.size())));
  const bool is_wrong = has_ended_ && (unpacked_bytes_ != content_->bytes || crc_ != content_->crc);
  if (is_wrong || unpacked_bytes_ > content_->bytes)
    throw Failure(ExitCode::corrupt, label_, "is damaged: it does not match its checksum in the ZIP file");
}

bool Unpacker::refill(const Reader& read_packed) {
  z_stream& z = stream_->z;
  if (z.avail_in > 0) return true;
  z.next_in = reinterpret_cast<Bytef*>(stream_->buffer.data());
  z.avail_in = static_cast<uInt>(read_packed(stream_->buffer));
  return z.avail_in > 0;
}

std::size_t Unpacker::inflate_some(std::span<std::byte> out, const Reader& read_packed) {
  z_stream& z = stream_->z;
  const bool is_all_read = !refill(read_packed);  // what was taken in may still hold some bytes, and the end
  const std::size_t room = std::min<std::size_t>(out.size(), std::size_t{1} << 30);
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(room);
  const int status = ::inflate(&z, Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status == Z_BUF_ERROR && is_all_read)
    throw Failure(ExitCode::corrupt, label_, "ends before its packed content does");
  if (status == Z_STREAM_END) {
    // Behind a gzip stream may come the next one.
    has_ended_ = packing_ != Packing::gzip || !refill(read_packed);
    if (!has_ended_) ::inflateReset(&z);
  } else if (status != Z_OK && status != Z_BUF_ERROR) {
    throw Failure(ExitCode::corrupt, label_,
                  std::string("is damaged: ") + (z.msg != nullptr ? z.msg : "no deflated data"));
  }
  return room - z.avail_out;
}

}  // namespace floe::cli
