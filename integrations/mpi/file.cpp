// Files of which every rank reads what it wants.
#include <optional>

#include "floe/mpi.hpp"
#include "shared_file.hpp"

namespace floe::mpi {

struct File::State {
  SharedFile bytes;
  std::optional<Reader> reader;
};

File::File(std::unique_ptr<State> state) : state_(std::move(state)) {}
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;
File::~File() = default;

Result<File> File::open(MPI_Comm communicator, const std::string& path, MPI_Info hints) {
  auto state = std::make_unique<State>();
  const ReadAt read = [bytes = &state->bytes](std::uint64_t offset, std::span<std::byte> to) {
    return bytes->read(offset, to);
  };
  const Status status = state->bytes.open(communicator, path, hints, [&](std::uint64_t file_bytes) {
    auto opened = Reader::open(read, file_bytes);
    if (!opened) return opened.status();
    state->reader.emplace(std::move(*opened));
    return Status{};
  });
  if (!status.ok()) return status;
  return File(std::move(state));
}

const Reader& File::reader() const noexcept { return *state_->reader; }

Status File::close() { return state_->bytes.close(); }

}  // namespace floe::mpi
