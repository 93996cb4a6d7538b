//go:build cgo && linux && amd64

#include "library.h"

static int layout(layout_t *l, int64_t batch, int64_t rows, int64_t columns, const int64_t strides[3]) {
	dims_t dims = {batch, rows, columns}, s = {strides[0], strides[1], strides[2]};
	if (batch > 1) return lib.memory_desc_create_with_strides(l, 3, dims, FLOAT32, s);
	return lib.memory_desc_create_with_strides(l, 2, dims + 1, FLOAT32, s + 1);
}

static int make(plan_t *p, choice_t choice, layout_t layouts[3]) {
	layout_t scratch = lib.primitive_desc_query_md(choice, ASK_SCRATCHPAD, 0);
	memory_t *memories[] = {&p->first, &p->second, &p->result};
	int roles[] = {SRC, WEIGHTS, DST};
	for (int i = 0; i < 3; i++) {
		if (lib.memory_create(memories[i], layouts[i], lib.engine, NULL)) return 1;
		p->arguments[0][i] = (argument_t){roles[i], *memories[i]};
	}
	if (lib.memory_create(&p->scratch, scratch, lib.engine, NULL) || lib.primitive_desc_query(choice, ASK_WAY, 0, &p->way)) return 1;
	p->arguments[0][3] = (argument_t){SCRATCHPAD, p->scratch};
	p->argument_counts[0] = 4;
	p->scratch_size = lib.memory_desc_get_size(scratch);
	p->step_count = 1;
	return lib.primitive_create(&p->steps[0], choice);
}

int make_product(plan_t *p, const product_t *m) {
	int64_t strides[3] = {m->rows * m->columns, m->columns, 1};
	layout_t layouts[3] = {0};
	choice_t choice = NULL;
	int refused = layout(&layouts[0], m->batch, m->rows, m->inner, m->left_strides) ||
		layout(&layouts[1], m->batch, m->inner, m->columns, m->right_strides) ||
		layout(&layouts[2], m->batch, m->rows, m->columns, strides) ||
		lib.matmul_primitive_desc_create(&choice, lib.engine, layouts[0], layouts[1], NULL, layouts[2], lib.options) || make(p, choice, layouts);
	for (int i = 0; i < 3; i++) {
		if (layouts[i]) lib.memory_desc_destroy(layouts[i]);
	}
	if (choice) lib.primitive_desc_destroy(choice);
	return refused;
}
