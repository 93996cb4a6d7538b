//go:build cgo && linux && amd64

// What Go asks of kernels.c. Rows have d numbers each and lie one after the other; an index says which of them are meant.
#ifndef PUCLAB_KERNELS_H
#define PUCLAB_KERNELS_H

#include <stdint.h>

// Centers lie in blocks of so many: the first numbers of all, then the second ones, and so on.
enum { LANES = 16 };

// two_best writes, for m rows, the two least of half − row · center over blocks·LANES centers, and which has the least. It takes AVX-512
// or else AVX2 and FMA, where the processor has them and they are allowed.
enum { BASE, AVX2, AVX512 };
void two_best(int allowed, const float *rows, int64_t d, const int32_t *index, int64_t m, const float *centers, const float *half, int64_t blocks,
	float *best, float *second, int32_t *at);

// few_best is two_best for a few centers that lie one after the other.
void few_best(const float *rows, int64_t d, const int32_t *index, int64_t m, const float *centers, const float *half, int64_t k,
	float *best, float *second, int32_t *at);

// own_scores writes half − row · center of one center for each of m rows; here centers lie one after the other.
void own_scores(const float *rows, int64_t d, const int32_t *index, int64_t m, const float *centers, const float *half,
	const int32_t *slot, float *score);

// move_rows has m rows leave the sum of one cluster, where from is not negative, and join that of another.
void move_rows(const float *rows, int64_t d, const int32_t *index, int64_t m, const int32_t *from, const int32_t *to, double *sums);

// survey_columns goes on from the sum, the least and the largest number of some columns of n rows.
void survey_columns(const float *rows, int64_t d, int64_t n, int64_t first, int64_t columns, double *sum, float *low, float *high);

// center_rows writes n rows moved, scaled and rounded, and their squared lengths. Rows may be raw.
void center_rows(const float *raw, float *rows, int64_t d, int64_t n, const double *mean, double scale, double round, double *squared);

#endif
