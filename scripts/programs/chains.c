/* A program whose computing and waiting are known: chains of pointers that are followed side by side, and arithmetic between
   the steps that waits for the loads and that the next loads wait for.

   chains CHAINS ARITHMETIC STEPS MIB    CHAINS of 0 leaves the memory out: what is left is the planted computing;
                                         MIB is a power of two

   Prints the seconds that the steps took, without the laying of the chains. */

#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define LINE 8 /* words */
#define HUGE_PAGE (2u << 20)

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
  if (chains < 0 || chains > 8 || !lines || lines & (lines - 1)) {
    fprintf(stderr, "chains: 0 to 8 of them, through a power of two of MiB\n");
    return 2;
  }
  uint64_t at[8] = {0};
  uint64_t *memory = 0;
  if (chains) {
    uint64_t bytes = lines * LINE * sizeof *memory;
    memory = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (!memory) return 2;
    /* Walks of page tables hit the caches: a part of each step that is neither arithmetic nor memory. */
    madvise(memory, bytes, MADV_HUGEPAGE);
    /* One cycle through all lines, which a product and a sum draw: laid in a row, so that it costs no time of its own. */
    uint64_t product = 0x5851f42d4c957f2dull % lines / 8 * 8 + 5;
    for (uint64_t line = 0; line < lines; line++) memory[line * LINE] = (line * product + 1) % lines * LINE;
    for (int chain = 1; chain < chains; chain++) {
      at[chain] = at[chain - 1];
      for (uint64_t line = 0; line < lines / chains; line++) at[chain] = (at[chain] / LINE * product + 1) % lines * LINE;
    }
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
