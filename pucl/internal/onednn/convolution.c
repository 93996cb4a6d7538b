//go:build cgo && linux && amd64

#include "library.h"

#include <stdlib.h>

// some is a primitive for some of the images and channels, with the layouts of its arrays.
typedef struct {
	layout_t x, y, w, scratch;
	choice_t forward, choice;
	primitive_t primitive;
} some_t;

static int layout(layout_t *l, const dims_t dims, const int64_t strides[4]) {
	dims_t s = {strides[0], strides[1], strides[2], strides[3]};
	return lib.memory_desc_create_with_strides(l, 4, dims, FLOAT32, s);
}

// choose has the library choose its way. w is the kernel's order, or NULL to have that chosen as well.
static int choose(some_t *s, const convolution_t *c, layout_t w) {
	dims_t x = {c->images, c->in, c->size[0], c->size[1]}, y = {c->images, c->out, c->result[0], c->result[1]};
	dims_t kernel = {c->out, c->in, c->kernel[0], c->kernel[1]};
	dims_t stride = {c->stride[0], c->stride[1]}, dilation = {c->dilation[0] - 1, c->dilation[1] - 1};
	dims_t before = {c->before[0], c->before[1]}, after = {c->after[0], c->after[1]};
	if (layout(&s->x, x, c->x_strides) || layout(&s->y, y, c->y_strides) ||
		(w ? lib.memory_desc_clone(&s->w, w) : lib.memory_desc_create_with_tag(&s->w, 4, kernel, FLOAT32, ANY_LAYOUT)) ||
		lib.convolution_forward_primitive_desc_create(&s->forward, lib.engine, TRAINING, DIRECT, s->x, s->w, NULL, s->y, stride, dilation,
			before, after, lib.options)) {
		return 1;
	}
	switch (c->what) {
	case INPUT_GRADIENT:
		return lib.convolution_backward_data_primitive_desc_create(&s->choice, lib.engine, DIRECT, s->x, s->w, s->y, stride, dilation, before,
			after, s->forward, lib.options);
	case KERNEL_GRADIENT:
		return lib.convolution_backward_weights_primitive_desc_create(&s->choice, lib.engine, DIRECT, s->x, s->w, NULL, s->y, stride, dilation,
			before, after, s->forward, lib.options);
	}
	return 0;
}

static int make_some(some_t *s, plan_t *p, const convolution_t *c, layout_t w) {
	if (choose(s, c, w)) return 1;
	choice_t choice = c->what == FORWARD ? s->forward : s->choice;
	lib.memory_desc_destroy(s->w);
	s->w = NULL;
	s->scratch = lib.primitive_desc_query_md(choice, ASK_SCRATCHPAD, 0);
	return lib.memory_desc_clone(&s->w, lib.primitive_desc_query_md(choice, c->what == KERNEL_GRADIENT ? ASK_DIFF_WEIGHTS : ASK_WEIGHTS, 0)) ||
		!(s->primitive = add_primitive(p, choice));
}

static void forget(some_t *s) {
	layout_t layouts[] = {s->x, s->y, s->w};
	for (int i = 0; i < 3; i++) {
		if (layouts[i]) lib.memory_desc_destroy(layouts[i]);
	}
	if (s->choice) lib.primitive_desc_destroy(s->choice);
	if (s->forward) lib.primitive_desc_destroy(s->forward);
}

// parts adds those for the images from the given one on, for all the channels.
static int parts(plan_t *p, const some_t *s, const convolution_t *c, const convolution_t *part, int64_t image) {
	static const int roles[][3] = {
		[FORWARD] = {SRC, WEIGHTS, DST}, [INPUT_GRADIENT] = {DIFF_DST, WEIGHTS, DIFF_SRC}, [KERNEL_GRADIENT] = {SRC, DIFF_DST, DIFF_WEIGHTS},
	};
	size_t x = image * c->x_strides[0], y = image * c->y_strides[0], slices = c->out / part->out, addend = image / c->part_images;
	size_t slice = lib.memory_desc_get_size(s->w) / sizeof(float);
	for (size_t i = 0; i < slices; i++) {
		layout_t layouts[][3] = {{s->x, s->w, s->y}, {s->y, s->w, s->x}, {s->x, s->y, s->w}};
		size_t at[][3] = {{x, 0, y}, {y, 0, x}, {x, y + i * part->out, (addend * slices + i) * slice}};
		if (add_part(p, s->primitive, layouts[c->what], s->scratch, roles[c->what], at[c->what])) return 1;
		if (p->slice) p->parts[p->part_count - 1].rows = part->images * c->result[0] * c->result[1];
	}
	return 0;
}

// finish adds the changes of order that the kernel needs; the parts have the order own.
static int finish(plan_t *p, const convolution_t *c, layout_t own, int64_t out) {
	dims_t kernel = {out, c->in, c->kernel[0], c->kernel[1]};
	layout_t given = NULL;
	if (layout(&given, kernel, c->w_strides)) return 1;
	size_t size = lib.memory_desc_get_size(own), slices = c->out / out;
	int refused = 0;
	if (c->what != KERNEL_GRADIENT) {
		if (!lib.memory_desc_equal(own, given)) {
			p->own_size = size;
			refused = make_change(&p->before, given, own);
		}
	} else {
		p->addends = (c->images + c->part_images - 1) / c->part_images;
		p->addend = slices * size / sizeof(float);
		p->own_size = p->addends * slices * size;
		refused = !(p->after = calloc(slices, sizeof *p->after));
		for (size_t i = 0; !refused && i < slices; i++) {
			change_t *a = &p->after[p->after_count++];
			refused = make_change(a, own, given);
			a->from.at = i * size / sizeof(float);
			a->to.at = i * out * c->w_strides[0];
		}
	}
	lib.memory_desc_destroy(given);
	return refused;
}

static int make(plan_t *p, const convolution_t *c, some_t some[2]) {
	size_t x = c->images * c->in * c->size[0] * c->size[1], y = c->images * c->out * c->result[0] * c->result[1];
	size_t w = c->out * c->in * c->kernel[0] * c->kernel[1];
	size_t sizes[][3] = {{x, w, y}, {y, w, x}, {x, y, w}};
	for (int i = 0; i < 3; i++) p->sizes[i] = sizes[c->what][i];
	convolution_t part = *c;
	part.out = c->part_out;
	if (part.out < c->out) { // the library knows no such slices
		p->slice = part.out;
		p->row = c->out;
		int64_t strides[] = {c->result[0] * c->result[1] * part.out, 1, c->result[1] * part.out, part.out};
		for (int i = 0; i < 4; i++) part.y_strides[i] = strides[i];
	}
	int made = 0;
	for (int64_t image = 0; image < c->images; image += part.images) {
		int64_t left = c->images - image;
		part.images = left < c->part_images ? left : c->part_images;
		if (image == 0 || part.images < c->part_images) {
			lib.omp_set_num_threads(1);
			int refused = make_some(&some[made], p, &part, made ? some[0].w : NULL);
			lib.omp_set_num_threads(lib.threads);
			if (refused) return 1;
			made++;
		}
		if (parts(p, &some[made - 1], c, &part, image)) return 1;
	}
	if (c->flipped) {
		p->places = c->kernel[0] * c->kernel[1];
		p->turned = c->in * c->out;
	}
	return finish(p, c, some[0].w, part.out);
}

int make_convolution(plan_t *p, const convolution_t *c) {
	some_t some[2] = {0}; // for most parts, and for the last one
	int refused = make(p, c, some);
	forget(&some[0]);
	forget(&some[1]);
	return refused;
}
