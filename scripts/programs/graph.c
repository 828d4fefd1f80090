/* Six kernels on a graph, as programs that are recorded: breadth-first search, page rank, connected components, shortest
   paths, betweenness of a few sources, and triangles.

   graph KERNEL SCALE DEGREE ROUNDS    a Kronecker graph of 2^SCALE vertices and DEGREE edges each (half of them both ways),
                                       and the kernel so often; KERNEL none builds the graph alone

   Prints a number that depends on the result, so that nothing is left out. The work is plain C with one thread. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;

static u32 vertices;
static u64 edges;
static u64 *first; /* of the neighbours of each vertex */
static u32 *other;

static u64 state = 88172645463325252ull;

static u64 drawn(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void *room(u64 count, u64 size) {
  void *at = calloc(count ? count : 1, size);
  if (!at) {
    fprintf(stderr, "graph: no memory\n");
    exit(2);
  }
  return at;
}

static int by_number(const void *a, const void *b) {
  u32 x = *(const u32 *)a, y = *(const u32 *)b;
  return (x > y) - (x < y);
}

/* Quadrants of the matrix with 57, 19, 19 and 5 per cent of the edges, and vertices renumbered. */
static void build(int scale, int degree) {
  vertices = 1u << scale;
  u64 count = (u64)vertices * degree / 2;
  u32 *from = room(count, sizeof *from), *to = room(count, sizeof *to);
  first = room((u64)vertices + 2, sizeof *first);
  u32 mask = vertices - 1;
  for (u64 at = 0; at < count; at++) {
    u32 a = 0, b = 0;
    u64 bits = drawn();
    for (int bit = 0; bit < scale; bit++) {
      if (bit % 8 == 0) bits = drawn();
      u32 part = bits & 127;
      bits >>= 8;
      a = a << 1 | (part >= 97);
      b = b << 1 | ((part >= 73 && part < 97) || part >= 121);
    }
    from[at] = (u32)((a * 2654435761ull) >> 3) & mask;
    to[at] = (u32)((b * 2654435761ull) >> 3) & mask;
    first[from[at] + 2]++;
    first[to[at] + 2]++;
  }
  for (u32 v = 1; v <= vertices + 1; v++) first[v] += first[v - 1];
  edges = 2 * count;
  other = room(edges, sizeof *other);
  for (u64 at = 0; at < count; at++) {
    other[first[from[at] + 1]++] = to[at];
    other[first[to[at] + 1]++] = from[at];
  }
  free(from);
  free(to);
}

static u64 search(u32 source, u32 *depth, u32 *queue) {
  memset(depth, 255, vertices * sizeof *depth);
  u64 head = 0, tail = 0;
  depth[source] = 0;
  queue[tail++] = source;
  while (head < tail) {
    u32 v = queue[head++];
    for (u64 e = first[v]; e < first[v + 1]; e++) {
      u32 w = other[e];
      if (depth[w] == UINT32_MAX) {
        depth[w] = depth[v] + 1;
        queue[tail++] = w;
      }
    }
  }
  return tail;
}

static u32 source_of(u32 number) {
  u32 v = (number * 2654435761u + 12345u) & (vertices - 1);
  while (first[v] == first[v + 1]) v = (v + 1) & (vertices - 1);
  return v;
}

static u64 none(void) { return edges; }

static u32 rounds;

static u64 bfs(void) {
  u32 *depth = room(vertices, sizeof *depth), *queue = room(vertices, sizeof *queue);
  u64 sum = 0;
  for (u32 round = 0; round < rounds; round++) sum += search(source_of(round), depth, queue);
  free(depth);
  free(queue);
  return sum;
}

static u64 rank(void) {
  float *score = room(vertices, sizeof *score), *share = room(vertices, sizeof *share);
  for (u32 v = 0; v < vertices; v++) score[v] = 1.0f / (float)vertices;
  for (u32 round = 0; round < rounds; round++) {
    for (u32 v = 0; v < vertices; v++) {
      u64 degree = first[v + 1] - first[v];
      share[v] = degree ? score[v] / (float)degree : 0;
    }
    for (u32 v = 0; v < vertices; v++) {
      float sum = 0;
      for (u64 e = first[v]; e < first[v + 1]; e++) sum += share[other[e]];
      score[v] = 0.15f / (float)vertices + 0.85f * sum;
    }
  }
  double all = 0;
  for (u32 v = 0; v < vertices; v++) all += score[v];
  return (u64)(1e6 * all);
}

static u64 components_once(u32 *label) {
  for (u32 v = 0; v < vertices; v++) label[v] = v;
  for (int changed = 1; changed;) {
    changed = 0;
    for (u32 v = 0; v < vertices; v++)
      for (u64 e = first[v]; e < first[v + 1]; e++) {
        u32 a = label[v], b = label[other[e]];
        u32 high = a > b ? a : b, low = a > b ? b : a;
        if (a != b && label[high] == high) {
          label[high] = low;
          changed = 1;
        }
      }
    for (u32 v = 0; v < vertices; v++)
      while (label[v] != label[label[v]]) label[v] = label[label[v]];
  }
  u64 sum = 0;
  for (u32 v = 0; v < vertices; v++) sum += label[v];
  return sum;
}

static u64 components(void) {
  u32 *label = room(vertices, sizeof *label);
  u64 sum = 0;
  for (u32 round = 0; round < rounds; round++) sum += components_once(label);
  return sum;
}

static u64 paths_from(u32 source, u32 *length, u32 *now, u32 *next) {
  memset(length, 255, vertices * sizeof *length);
  u64 count = 1;
  now[0] = source;
  length[now[0]] = 0;
  while (count) {
    u64 more = 0;
    for (u64 at = 0; at < count; at++) {
      u32 v = now[at];
      for (u64 e = first[v]; e < first[v + 1]; e++) {
        u32 w = other[e], weight = 1 + ((v ^ w) & 63), through = length[v] + weight;
        if (through < length[w]) {
          length[w] = through;
          if (more < edges) next[more++] = w;
        }
      }
    }
    u32 *swap = now;
    now = next;
    next = swap;
    count = more;
  }
  u64 sum = 0;
  for (u32 v = 0; v < vertices; v++) sum += length[v] == UINT32_MAX ? 0 : length[v];
  return sum;
}

static u64 paths(void) {
  u32 *length = room(vertices, sizeof *length), *now = room(edges, sizeof *now), *next = room(edges, sizeof *next);
  u64 sum = 0;
  for (u32 round = 0; round < rounds; round++) sum += paths_from(source_of(round), length, now, next);
  return sum;
}

static u64 betweenness(void) {
  u32 *depth = room(vertices, sizeof *depth), *queue = room(vertices, sizeof *queue);
  double *count = room(vertices, sizeof *count), *share = room(vertices, sizeof *share), *all = room(vertices, sizeof *all);
  for (u32 round = 0; round < rounds; round++) {
    u64 reached = search(source_of(round), depth, queue);
    memset(count, 0, vertices * sizeof *count);
    memset(share, 0, vertices * sizeof *share);
    count[queue[0]] = 1;
    for (u64 at = 0; at < reached; at++) {
      u32 v = queue[at];
      for (u64 e = first[v]; e < first[v + 1]; e++)
        if (depth[other[e]] == depth[v] + 1) count[other[e]] += count[v];
    }
    for (u64 at = reached; at-- > 0;) {
      u32 v = queue[at];
      for (u64 e = first[v]; e < first[v + 1]; e++)
        if (depth[other[e]] == depth[v] + 1) share[v] += count[v] / count[other[e]] * (1 + share[other[e]]);
      all[v] += share[v];
    }
  }
  double sum = 0;
  for (u32 v = 0; v < vertices; v++) sum += all[v];
  return (u64)sum;
}

static u64 triangles(void) {
  for (u32 v = 0; v < vertices; v++) qsort(other + first[v], first[v + 1] - first[v], sizeof *other, by_number);
  u64 found = 0;
  for (u32 v = 0; v < vertices; v++)
    for (u64 e = first[v]; e < first[v + 1]; e++) {
      u32 w = other[e];
      // A sample of the vertices: all of them take long where a few have most of the edges.
      if (w >= v || v % 64 >= rounds) continue;
      u64 a = first[v], b = first[w];
      while (a < first[v + 1] && b < first[w + 1] && other[a] < w && other[b] < w) {
        u32 x = other[a], y = other[b];
        found += x == y;
        a += x <= y;
        b += y <= x;
      }
    }
  return found;
}

int main(int count, char **words) {
  static const struct {
    const char *name;
    u64 (*run)(void);
  } kernels[] = {{"none", none}, {"bfs", bfs}, {"pr", rank}, {"cc", components}, {"sssp", paths}, {"bc", betweenness}, {"tc", triangles}};
  int scale = count > 2 ? atoi(words[2]) : 0, degree = count > 3 ? atoi(words[3]) : 0;
  rounds = count > 4 ? (u32)atoi(words[4]) : 0;
  for (unsigned at = 0; count == 5 && scale > 0 && scale < 30 && degree > 0 && rounds > 0 && at < 7; at++)
    if (!strcmp(words[1], kernels[at].name)) {
      build(scale, degree);
      printf("%s %llu\n", words[1], (unsigned long long)kernels[at].run());
      return 0;
    }
  fprintf(stderr, "graph none|bfs|pr|cc|sssp|bc|tc SCALE DEGREE ROUNDS\n");
  return 2;
}
