//go:build cgo && linux && amd64

#include "kernels.h"

#include <math.h>

typedef float floats __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));

// Most rows and blocks that are compared at once: their sums fill the registers of a processor with AVX-512.
enum { ROWS = 12, BLOCKS = 2 };

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 12")

INLINE ints pick_ints(ints where, ints a, ints b) { return (where & a) | (~where & b); }
INLINE floats pick(ints where, floats a, floats b) { return (floats)pick_ints(where, (ints)a, (ints)b); }
INLINE floats less(floats a, floats b) { return pick(a < b, a, b); }

// found is what is known of one row: the two least scores of each lane, and the block of the least.
typedef struct {
	floats best, second;
	ints block;
} found_t;

// compare goes on with the blocks of centers from b on. A score is one chain of additions, the same in whatever company.
INLINE void compare(int rows, int blocks, const float *const *row, int64_t d, const float *centers, const float *half, int64_t b, found_t *found) {
	floats sum[ROWS][BLOCKS];
	UNROLL for (int r = 0; r < rows; r++) sum[r][0] = sum[r][1] = (floats){0};
	centers += b * LANES * d;
	for (int64_t j = 0; j < d; j++) {
		floats center[BLOCKS];
		for (int k = 0; k < blocks; k++) center[k] = *(const floats *)(centers + (k * d + j) * LANES);
		UNROLL for (int r = 0; r < rows; r++) {
			for (int k = 0; k < blocks; k++) sum[r][k] += row[r][j] * center[k];
		}
	}
	for (int k = 0; k < blocks; k++) {
		floats halves = *(const floats *)(half + (b + k) * LANES);
		UNROLL for (int r = 0; r < rows; r++) {
			found_t *f = found + r;
			floats score = halves - sum[r][k];
			ints lower = score < f->best;
			f->second = less(f->second, pick(lower, f->best, score));
			f->best = pick(lower, score, f->best);
			f->block = pick_ints(lower, (ints){0} + (int32_t)(b + k), f->block);
		}
	}
}

static const ints lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// conclude brings the lanes together. Of equal scores the first counts.
INLINE void conclude(const found_t *f, float *best, float *second, int32_t *at) {
	floats one = f->best, two = f->second;
	for (int by = LANES / 2; by > 0; by /= 2) {
		floats other = __builtin_shuffle(one, lanes ^ by);
		two = less(less(two, __builtin_shuffle(two, lanes ^ by)), pick(one < other, other, one));
		one = less(one, other);
	}
	ints place = pick_ints(f->best == one, f->block * LANES + lanes, (ints){0} + INT32_MAX);
	for (int by = LANES / 2; by > 0; by /= 2) {
		ints other = __builtin_shuffle(place, lanes ^ by);
		place = pick_ints(place < other, place, other);
	}
	*best = one[0];
	*second = two[0];
	*at = place[0];
}

#define TWO_BEST \
	const float *rows, int64_t d, const int32_t *index, int64_t m, const float *centers, const float *half, int64_t blocks, \
		float *best, float *second, int32_t *at

// in_tiles compares so many rows and blocks at a time.
INLINE void in_tiles(int tile_rows, int tile_blocks, TWO_BEST) {
	for (int64_t i = 0; i < m; i += tile_rows) {
		const float *row[ROWS];
		found_t found[ROWS];
		for (int r = 0; r < tile_rows; r++) {
			row[r] = rows + d * index[i + r < m ? i + r : m - 1];
			found[r] = (found_t){(floats){0} + INFINITY, (floats){0} + INFINITY, {0}};
		}
		int64_t b = 0;
		for (; b + tile_blocks <= blocks; b += tile_blocks) compare(tile_rows, tile_blocks, row, d, centers, half, b, found);
		for (; b < blocks; b++) compare(tile_rows, 1, row, d, centers, half, b, found);
		for (int r = 0; r < tile_rows && i + r < m; r++) conclude(found + r, best + i + r, second + i + r, at + i + r);
	}
}

__attribute__((target("avx512f,avx512dq"))) static void with_avx512(TWO_BEST) {
	in_tiles(ROWS, BLOCKS, rows, d, index, m, centers, half, blocks, best, second, at);
}

__attribute__((target("avx2,fma"))) static void with_avx2(TWO_BEST) {
	in_tiles(ROWS / 2, 1, rows, d, index, m, centers, half, blocks, best, second, at);
}

void two_best(int allowed, TWO_BEST) {
	if (allowed >= AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
		with_avx512(rows, d, index, m, centers, half, blocks, best, second, at);
	} else if (allowed >= AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
		with_avx2(rows, d, index, m, centers, half, blocks, best, second, at);
	} else {
		in_tiles(2, 1, rows, d, index, m, centers, half, blocks, best, second, at);
	}
}

// What follows is plain loops, compiled once for each kind of processor.
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))

// row_of returns the row at index[i], and has one that is wanted soon come nearer, as the processor itself does not beyond its page.
INLINE const float *row_of(const float *rows, int64_t d, const int32_t *index, int64_t i, int64_t m) {
	if (i + 4 < m) {
		const float *soon = rows + d * index[i + 4];
		for (int64_t j = 0; j < d; j += LANES) __builtin_prefetch(soon + j);
	}
	return rows + d * index[i];
}

INLINE float dot(const float *a, const float *b, int64_t d) {
	float sum = 0;
#pragma omp simd reduction(+ : sum)
	for (int64_t j = 0; j < d; j++) sum += a[j] * b[j];
	return sum;
}

CLONES void few_best(const float *rows, int64_t d, const int32_t *index, int64_t m, const float *centers, const float *half, int64_t k,
	float *best, float *second, int32_t *at) {
	for (int64_t i = 0; i < m; i++) {
		const float *row = row_of(rows, d, index, i, m);
		float one = INFINITY, two = INFINITY;
		int32_t place = 0;
		for (int32_t c = 0; c < k; c++) {
			float score = half[c] - dot(row, centers + d * c, d), worse = score < one ? one : score;
			place = score < one ? c : place;
			one = score < one ? score : one;
			two = worse < two ? worse : two;
		}
		best[i] = one;
		second[i] = two;
		at[i] = place;
	}
}

CLONES void own_scores(const float *rows, int64_t d, const int32_t *index, int64_t m, const float *centers, const float *half,
	const int32_t *slot, float *score) {
	for (int64_t i = 0; i < m; i++) {
		score[i] = half[slot[i]] - dot(row_of(rows, d, index, i, m), centers + d * slot[i], d);
	}
}

CLONES void move_rows(const float *rows, int64_t d, const int32_t *index, int64_t m, const int32_t *from, const int32_t *to, double *sums) {
	for (int64_t i = 0; i < m; i++) {
		const float *row = rows + d * index[i];
		double *more = sums + d * to[i], *fewer = from[i] < 0 ? 0 : sums + d * from[i];
#pragma omp simd
		for (int64_t j = 0; j < d; j++) more[j] += row[j];
		if (!fewer) continue;
#pragma omp simd
		for (int64_t j = 0; j < d; j++) fewer[j] -= row[j];
	}
}

CLONES void survey_columns(const float *rows, int64_t d, int64_t n, int64_t first, int64_t columns, double *sum, float *low, float *high) {
	for (int64_t i = 0; i < n; i++) {
		const float *row = rows + d * i + first;
#pragma omp simd
		for (int64_t j = 0; j < columns; j++) {
			sum[j] += row[j];
			low[j] = row[j] < low[j] ? row[j] : low[j];
			high[j] = row[j] > high[j] ? row[j] : high[j];
		}
	}
}

CLONES void center_rows(const float *raw, float *rows, int64_t d, int64_t n, const double *mean, double scale, double round, double *squared) {
	for (int64_t i = 0; i < n; i++, raw += d, rows += d) {
		double sum = 0;
#pragma omp simd reduction(+ : sum)
		for (int64_t j = 0; j < d; j++) {
			double moved = (raw[j] - mean[j]) * scale + round;
			moved -= round;
			rows[j] = (float)moved;
			sum += moved * moved;
		}
		squared[i] = sum;
	}
}
