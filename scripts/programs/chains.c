/* A program whose computing and waiting are known: chains of pointers that are followed side by side, and arithmetic between
   the steps that waits for the loads and that the next loads wait for.

   chains CHAINS ARITHMETIC STEPS MIB    CHAINS of 0 leaves the memory out: what is left is the planted computing

   Prints the seconds that the steps took, without the laying of the chains. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE 8 /* words */

static uint64_t state = 88172645463325252ull;

static uint64_t drawn(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec + 1e-9 * at.tv_nsec;
}

int main(int count, char **words) {
  if (count != 5) {
    fprintf(stderr, "chains CHAINS ARITHMETIC STEPS MIB\n");
    return 2;
  }
  int chains = atoi(words[1]);
  long arithmetic = atol(words[2]), steps = atol(words[3]);
  uint64_t lines = strtoull(words[4], 0, 10) << 14;
  if (chains < 0 || chains > 8 || !lines) {
    fprintf(stderr, "chains: 0 to 8 of them, through 1 MiB at least\n");
    return 2;
  }
  uint64_t at[8] = {0};
  uint64_t *memory = 0;
  if (chains) {
    memory = malloc(lines * LINE * sizeof *memory);
    uint32_t *order = malloc(lines * sizeof *order);
    if (!memory || !order) return 2;
    for (uint64_t line = 0; line < lines; line++) order[line] = (uint32_t)line;
    /* One cycle through all lines (Sattolo). */
    for (uint64_t line = lines - 1; line > 0; line--) {
      uint64_t with = drawn() % line;
      uint32_t swap = order[line];
      order[line] = order[with];
      order[with] = swap;
    }
    for (uint64_t line = 0; line < lines; line++)
      memory[(uint64_t)order[line] * LINE] = (uint64_t)order[(line + 1) % lines] * LINE;
    for (int chain = 0; chain < chains; chain++) at[chain] = (uint64_t)order[lines / chains * chain] * LINE;
    free(order);
  }
  uint64_t value = 1;
  double begun = now();
  for (long step = 0; step < steps; step++) {
    for (int chain = 0; chain < chains; chain++) value += at[chain] = memory[at[chain]];
    for (long turn = 0; turn < arithmetic; turn++) value = value * 6364136223846793005ull + 1442695040888963407ull;
    /* Zero, which no compiler and no core knows before the arithmetic is done. */
    uint64_t same = value;
    __asm__ volatile("" : "+r"(same));
    uint64_t zero = same - value;
    for (int chain = 0; chain < chains; chain++) at[chain] += zero;
  }
  printf("%.6f s (%llx)\n", now() - begun, (unsigned long long)value);
  return 0;
}
