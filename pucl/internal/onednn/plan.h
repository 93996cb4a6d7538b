//go:build cgo && linux && amd64

// What Go asks of the C files of this folder.
#ifndef PUCLAB_PLAN_H
#define PUCLAB_PLAN_H

#include <stddef.h>
#include <stdint.h>

// What a convolution computes.
enum { FORWARD, INPUT_GRADIENT, KERNEL_GRADIENT };

// A convolution in float32, in the terms of its forward direction. Strides count numbers, not bytes, and are in the order of
// their comments, however the numbers lie in memory.
typedef struct {
	int64_t what;
	int64_t images, in, out;
	int64_t size[2], result[2], kernel[2]; // height, width
	int64_t stride[2], dilation[2];        // of the window; a dilation of 1 leaves nothing out
	int64_t before[2], after[2];           // padding
	int64_t x_strides[4], y_strides[4];    // image, channel, row, column
	int64_t w_strides[4];                  // channel out, channel in, row, column
	int64_t flipped;                       // INPUT_GRADIENT: the kernel comes turned by half a turn
	int64_t part_images, part_out;         // of a part; part_out is out but for KERNEL_GRADIENT, of which it is a divisor
} convolution_t;

// Products of matrices in float32, rows × inner with inner × columns, one for each of the batch. The results lie one behind the
// other, row by row.
typedef struct {
	int64_t batch, rows, columns, inner;
	int64_t left_strides[3];  // of the batch, row, column
	int64_t right_strides[3];
	int64_t part[4]; // batch, rows, columns and inner of a part
} product_t;

// library_open opens the library and finds its functions; once is enough. It returns NULL or what is wrong. library_version is
// three numbers then.
const char *library_open(const char *path);
extern int library_version[3];

// library_instructions returns oneDNN's number for the set of instructions that it takes.
int library_instructions(void);

// plan_convolution and plan_product return the number of a plan, or -1 where oneDNN has no fast way.
int64_t plan_convolution(const convolution_t *);
int64_t plan_product(const product_t *);

// plan_run computes a plan and returns 0, or oneDNN's number for what failed. A convolution takes x and w, y and w, or x and y, by
// what it computes.
enum { OUT_OF_MEMORY = 1, INVALID_ARGUMENTS };
int plan_run(int64_t plan, const float *first, const float *second, float *result);

// plan_sizes tells how many numbers the operands and the result of a plan have, and returns 0 if there is such a plan.
int plan_sizes(int64_t plan, size_t sizes[3]);

// calls_attach registers plan_run with a PJRT plugin, a table_t, and names the function that is to compile. It returns NULL or what is
// wrong.
const char *calls_attach(const void *plugin, void *compile);

// calls_compile, in place of the plugin's function, looks at a program before it is compiled.
struct compile;
void *calls_compile(struct compile *);

#endif
