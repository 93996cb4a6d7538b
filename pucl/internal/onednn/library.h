//go:build cgo && linux && amd64

// The part of oneDNN's C interface, version 3, that is used here, and how plans are kept. The functions are found when the library
// is opened, so that nothing of oneDNN is needed to build the program.
#ifndef PUCLAB_LIBRARY_H
#define PUCLAB_LIBRARY_H

#include "plan.h"

typedef struct engine *engine_t;
typedef struct stream *stream_t;
typedef struct layout *layout_t; // a memory descriptor
typedef struct memory *memory_t;
typedef struct choice *choice_t; // a primitive descriptor
typedef struct primitive *primitive_t;
typedef struct options *options_t;
typedef int64_t dims_t[12];
typedef struct {
	int role;
	memory_t memory;
} argument_t;
typedef struct {
	int major, minor, patch;
	const char *hash;
	unsigned processor_runtime, card_runtime;
} release_t;

enum { CPU = 1, IN_ORDER = 1, FLOAT32 = 3, ANY_LAYOUT = 1, TRAINING = 64, DIRECT = 1, CALLERS_SCRATCHPAD = 1, OPENMP = 2, STRICT = 0 };
enum { MOST_THREADS = 256 }; // more have nothing to do: work has at most 512 parts
enum { ASK_WAY = 8, ASK_WEIGHTS = 131, ASK_DIFF_WEIGHTS = 132, ASK_SCRATCHPAD = 136 };
enum { SRC = 1, DST = 17, WEIGHTS = 33, SCRATCHPAD = 80, DIFF_SRC = 129, DIFF_DST = 145, DIFF_WEIGHTS = 161 };

// F is given each function's result, name without "dnnl_", and parameters. All that return int return 0 when they succeed.
#define LIBRARY_FUNCTIONS(F) \
	F(const release_t *, version, (void)) \
	F(int, engine_create, (engine_t *, int kind, size_t index)) \
	F(int, stream_create, (stream_t *, engine_t, unsigned flags)) \
	F(int, stream_wait, (stream_t)) \
	F(int, memory_desc_create_with_strides, (layout_t *, int rank, const dims_t dims, int type, const dims_t strides)) \
	F(int, memory_desc_create_with_tag, (layout_t *, int rank, const dims_t dims, int type, int tag)) \
	F(int, memory_desc_clone, (layout_t *, layout_t)) \
	F(int, memory_desc_destroy, (layout_t)) \
	F(int, memory_desc_equal, (layout_t, layout_t)) \
	F(size_t, memory_desc_get_size, (layout_t)) \
	F(int, memory_create, (memory_t *, layout_t, engine_t, void *)) \
	F(int, memory_destroy, (memory_t)) \
	F(int, memory_set_data_handle, (memory_t, void *)) \
	F(int, primitive_attr_create, (options_t *)) \
	F(int, primitive_attr_set_scratchpad_mode, (options_t, int)) \
	F(int, primitive_attr_set_fpmath_mode, (options_t, int)) \
	F(int, get_effective_cpu_isa, (void)) \
	F(layout_t, primitive_desc_query_md, (choice_t, int what, int index)) \
	F(int, primitive_desc_query, (choice_t, int what, int index, void *)) \
	F(int, primitive_desc_destroy, (choice_t)) \
	F(int, primitive_create, (primitive_t *, choice_t)) \
	F(int, primitive_destroy, (primitive_t)) \
	F(int, primitive_execute, (primitive_t, stream_t, int count, const argument_t *)) \
	F(int, reorder_primitive_desc_create, (choice_t *, layout_t, engine_t, layout_t, engine_t, options_t)) \
	F(int, matmul_primitive_desc_create, (choice_t *, engine_t, layout_t, layout_t, layout_t bias, layout_t, options_t)) \
	F(int, convolution_forward_primitive_desc_create, (choice_t *, engine_t, int propagation, int algorithm, layout_t x, \
		layout_t w, layout_t bias, layout_t y, const dims_t stride, const dims_t dilation, const dims_t before, \
		const dims_t after, options_t)) \
	F(int, convolution_backward_data_primitive_desc_create, (choice_t *, engine_t, int algorithm, layout_t x, layout_t w, \
		layout_t y, const dims_t stride, const dims_t dilation, const dims_t before, const dims_t after, choice_t forward, \
		options_t)) \
	F(int, convolution_backward_weights_primitive_desc_create, (choice_t *, engine_t, int algorithm, layout_t x, layout_t w, \
		layout_t bias, layout_t y, const dims_t stride, const dims_t dilation, const dims_t before, const dims_t after, \
		choice_t forward, options_t))

// The same for the OpenMP that the library brings.
#define OPENMP_FUNCTIONS(F) \
	F(int, omp_get_max_threads, (void)) \
	F(void, omp_set_num_threads, (int)) \
	F(int, omp_get_thread_num, (void)) \
	F(void, GOMP_parallel, (void (*)(void *), void *, unsigned threads, unsigned flags))

// The opened library, on this processor.
typedef struct {
#define LIBRARY_DECLARE(type, name, parameters) type(*name) parameters;
	LIBRARY_FUNCTIONS(LIBRARY_DECLARE)
	OPENMP_FUNCTIONS(LIBRARY_DECLARE)
	int threads;     // OpenMP's number when the library was opened
	engine_t engine; // NULL until the library is open
	stream_t stream;
	options_t options;
} library_t;

#define HIDDEN __attribute__((visibility("hidden"))) // the names are of no use to other libraries

extern HIDDEN library_t lib;

// The numbers of an array that a part or a change of order works on; where they lie is told anew in every run.
typedef struct {
	memory_t memory;
	size_t at; // from the array's beginning, in numbers
} view_t;

// A part is computed by one thread. The library divides work among threads by their number, and then what is added up in which order
// depends on it; parts depend on the sizes alone.
typedef struct {
	primitive_t primitive; // of the plan
	view_t first, second, result, scratch;
	argument_t arguments[4];
	size_t rows; // of the second operand that are gathered
} part_t;

// A change copies numbers in another order; it is the library's, on all threads.
typedef struct {
	primitive_t primitive;
	view_t from, to;
} change_t;

// A plan turns a flipped kernel, brings it into the order that the library likes best, computes the parts, adds up what several of them
// give for the same numbers, and brings the result into the caller's order. Most plans leave out most of this.
typedef struct {
	size_t sizes[3];       // of the caller's arrays, in numbers
	size_t turned, places; // of a flipped kernel, the second operand: numbers at a place, and places
	change_t before;       // of the second operand
	part_t *parts;
	int part_count;
	primitive_t primitives[16];
	int primitive_count;
	size_t row, slice;         // if slice is not 0, a part takes this many numbers of each row of its second operand
	size_t addends, addend;    // how many, and the numbers of each; one addend is where the parts' results belong
	change_t *after;           // from the sum to the result
	int after_count;
	size_t own_size, scratch_size; // in bytes: of the kernel in the library's order or of the addends, and of what a thread needs
} plan_t;

// make_convolution and make_product fill in a plan of zeros. They return 0, or 1 where the library refuses.
HIDDEN int make_convolution(plan_t *, const convolution_t *);
HIDDEN int make_product(plan_t *, const product_t *);

// add_primitive gives the plan another primitive for parts, and returns NULL where that can't be.
HIDDEN primitive_t add_primitive(plan_t *, choice_t);

// add_part gives the plan another part, with the layouts and roles of its operands and result, and where each begins.
HIDDEN int add_part(plan_t *, primitive_t, const layout_t layouts[3], layout_t scratch, const int roles[3], const size_t at[3]);

// make_change fills in a change between two layouts.
HIDDEN int make_change(change_t *, layout_t from, layout_t to);

// destroy frees what a plan has.
HIDDEN void destroy(plan_t *);

// run computes a plan with a number of threads.
HIDDEN int run(const plan_t *, int threads, const float *first, const float *second, float *result);

#endif
