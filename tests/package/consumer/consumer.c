/* Does a C99 project that has only the installed header and library get its numbers back? */
#include <floe/floe.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 100000

int main(void) {
  static double prices[COUNT], restored[COUNT];
  floe_extent extent = {{COUNT}, 1};
  uint64_t room = 0;
  size_t frame_bytes, i;
  void* frame;

  for (i = 0; i < COUNT; ++i) prices[i] = 100.0 + 0.25 * (double)(i % 365);

  if (floe_max_compressed_size(&room, FLOE_F64, &extent, NULL).code != FLOE_OK) return 1;
  frame = malloc((size_t)room);
  if (frame == NULL) return 2;
  frame_bytes = (size_t)room;
  if (floe_compress(frame, &frame_bytes, prices, sizeof prices, FLOE_F64, &extent, NULL).code != FLOE_OK)
    return 3;
  if (frame_bytes >= sizeof prices) return 4;
  if (floe_decompress(restored, sizeof restored, frame, frame_bytes, NULL).code != FLOE_OK) return 5;
  if (memcmp(restored, prices, sizeof prices) != 0) return 6;
  if (floe_decompress(restored, sizeof restored, frame, frame_bytes - 1, NULL).code == FLOE_OK) return 7;
  free(frame);
  return 0;
}
