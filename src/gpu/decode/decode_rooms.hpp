// How is the workspace of a decoding call parted between what is opened ahead and teams? Pure arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/decode/team_limits.hpp"

namespace floe::series_cuda {

/// What lies in a workspace begins at multiples of that.
inline constexpr std::uint64_t room_unit = 256;

struct DecodeRooms {
  std::uint32_t opened_count = 0, team_count = 0;
  std::uint64_t opened_bytes =
      0;  ///< Of all segments that are opened ahead; behind them the teams' rooms begin.
  std::uint64_t team_bytes = 0;  ///< Of each team.
};

/// Enough for all segments to be opened ahead, and for all teams that there can be.
constexpr std::uint64_t decode_room(std::uint64_t segments, std::uint64_t min_team_bytes,
                                    std::uint64_t opened_bytes) {
  const std::uint64_t opened = std::min<std::uint64_t>(segments, max_opened_segments) * opened_bytes;
  return (opened + room_unit - 1) / room_unit * room_unit +
         std::min<std::uint64_t>(segments, max_teams) * min_team_bytes;
}

/// Of `room` bytes, with room for one team at least. What teams leave is for segments that are opened ahead,
/// of `opened_bytes` each; where there is not enough for both, a quarter. `opened_bytes` is 0 where nothing
/// is opened ahead, `min_team_bytes` where teams need nothing.
constexpr DecodeRooms decode_rooms(std::uint64_t room, std::uint64_t segments, std::uint64_t wanted_teams,
                                   std::uint64_t min_team_bytes, std::uint64_t opened_bytes) {
  DecodeRooms rooms;
  if (opened_bytes > 0) {
    const std::uint64_t behind_teams = room - std::min(room, wanted_teams * min_team_bytes),
                        for_opened = std::min(room - std::min(room, min_team_bytes),
                                              std::max(behind_teams, room / 4)) /
                                     room_unit * room_unit;
    rooms.opened_count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>({segments, std::uint64_t{max_opened_segments}, for_opened / opened_bytes}));
    rooms.opened_bytes = (rooms.opened_count * opened_bytes + room_unit - 1) / room_unit * room_unit;
  }
  room -= rooms.opened_bytes;
  if (min_team_bytes > 0)
    rooms.team_count = static_cast<std::uint32_t>(std::min(wanted_teams, room / min_team_bytes));
  if (rooms.team_count > 0) rooms.team_bytes = room / rooms.team_count / room_unit * room_unit;
  return rooms;
}

}  // namespace floe::series_cuda
