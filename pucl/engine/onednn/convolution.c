//go:build cgo && linux && amd64

#include "library.h"

typedef struct {
	layout_t x, y, w, any; // any leaves the order of the kernel's numbers to the library
	choice_t forward, choice, reorder;
} parts_t;

static int layout(layout_t *l, const dims_t dims, const int64_t strides[4]) {
	dims_t s = {strides[0], strides[1], strides[2], strides[3]};
	return lib.memory_desc_create_with_strides(l, 4, dims, FLOAT32, s);
}

static int choose(parts_t *q, const convolution_t *c) {
	dims_t x = {c->images, c->in, c->size[0], c->size[1]}, y = {c->images, c->out, c->result[0], c->result[1]};
	dims_t w = {c->out, c->in, c->kernel[0], c->kernel[1]};
	dims_t stride = {c->stride[0], c->stride[1]}, dilation = {c->dilation[0] - 1, c->dilation[1] - 1};
	dims_t before = {c->before[0], c->before[1]}, after = {c->after[0], c->after[1]};
	if (layout(&q->x, x, c->x_strides) || layout(&q->y, y, c->y_strides) || layout(&q->w, w, c->w_strides) ||
		lib.memory_desc_create_with_tag(&q->any, 4, w, FLOAT32, ANY_LAYOUT) ||
		lib.convolution_forward_primitive_desc_create(&q->forward, lib.engine, TRAINING, DIRECT, q->x, q->any, NULL, q->y, stride, dilation,
			before, after, lib.options)) {
		return 1;
	}
	switch (c->what) {
	case INPUT_GRADIENT:
		return lib.convolution_backward_data_primitive_desc_create(&q->choice, lib.engine, DIRECT, q->x, q->any, q->y, stride, dilation, before,
			after, q->forward, lib.options);
	case KERNEL_GRADIENT:
		return lib.convolution_backward_weights_primitive_desc_create(&q->choice, lib.engine, DIRECT, q->x, q->any, NULL, q->y, stride, dilation,
			before, after, q->forward, lib.options);
	}
	return 0;
}

static int make(plan_t *p, parts_t *q, const convolution_t *c) {
	if (choose(q, c)) return 1;
	choice_t choice = c->what == FORWARD ? q->forward : q->choice;
	layout_t scratch = lib.primitive_desc_query_md(choice, ASK_SCRATCHPAD, 0);
	layout_t own = lib.primitive_desc_query_md(choice, c->what == KERNEL_GRADIENT ? ASK_DIFF_WEIGHTS : ASK_WEIGHTS, 0);
	layout_t first = c->what == INPUT_GRADIENT ? q->y : q->x, second = c->what == KERNEL_GRADIENT ? q->y : q->w;
	layout_t result = c->what == FORWARD ? q->y : c->what == INPUT_GRADIENT ? q->x : q->w;
	if (lib.primitive_desc_query(choice, ASK_WAY, 0, &p->way) || lib.memory_create(&p->first, first, lib.engine, NULL) ||
		lib.memory_create(&p->second, second, lib.engine, NULL) || lib.memory_create(&p->result, result, lib.engine, NULL) ||
		lib.memory_create(&p->scratch, scratch, lib.engine, NULL)) {
		return 1;
	}
	p->scratch_size = lib.memory_desc_get_size(scratch);

	int reorder = !lib.memory_desc_equal(own, q->w), main = reorder && c->what != KERNEL_GRADIENT;
	memory_t kernel = c->what == KERNEL_GRADIENT ? p->result : p->second;
	if (reorder) {
		layout_t from = c->what == KERNEL_GRADIENT ? own : q->w, to = c->what == KERNEL_GRADIENT ? q->w : own;
		if (lib.memory_create(&p->own, own, lib.engine, NULL) ||
			lib.reorder_primitive_desc_create(&q->reorder, from, lib.engine, to, lib.engine, lib.options) ||
			lib.primitive_create(&p->steps[!main], q->reorder)) {
			return 1;
		}
		size_t size = lib.memory_desc_get_size(lib.primitive_desc_query_md(q->reorder, ASK_SCRATCHPAD, 0));
		if (size) return 1; // no change of order is known to need room
		p->arguments[!main][0] = (argument_t){SRC, main ? p->second : p->own};
		p->arguments[!main][1] = (argument_t){DST, main ? p->own : p->result};
		p->argument_counts[!main] = 2;
		p->own_size = lib.memory_desc_get_size(own);
		kernel = p->own;
	}
	argument_t arguments[][3] = {
		[FORWARD] = {{SRC, p->first}, {WEIGHTS, kernel}, {DST, p->result}},
		[INPUT_GRADIENT] = {{DIFF_SRC, p->result}, {WEIGHTS, kernel}, {DIFF_DST, p->first}},
		[KERNEL_GRADIENT] = {{SRC, p->first}, {DIFF_WEIGHTS, kernel}, {DIFF_DST, p->second}},
	};
	for (int i = 0; i < 3; i++) p->arguments[main][i] = arguments[c->what][i];
	p->arguments[main][3] = (argument_t){SCRATCHPAD, p->scratch};
	p->argument_counts[main] = 4;
	p->step_count = 1 + reorder;
	if (c->flipped) {
		p->places = c->kernel[0] * c->kernel[1];
		p->turned = c->in * c->out;
	}
	return lib.primitive_create(&p->steps[main], choice);
}

int make_convolution(plan_t *p, const convolution_t *c) {
	parts_t q = {0};
	int refused = make(p, &q, c);
	layout_t layouts[] = {q.x, q.y, q.w, q.any};
	for (int i = 0; i < 4; i++) {
		if (layouts[i]) lib.memory_desc_destroy(layouts[i]);
	}
	choice_t choices[] = {q.choice, q.forward, q.reorder};
	for (int i = 0; i < 3; i++) {
		if (choices[i]) lib.primitive_desc_destroy(choices[i]);
	}
	return refused;
}
