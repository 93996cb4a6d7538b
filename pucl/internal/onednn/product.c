//go:build cgo && linux && amd64

#include "library.h"

enum { BATCH, ROWS, COLUMNS, INNER, AXES };

// some is a primitive for products of some size.
typedef struct {
	int64_t size[AXES];
	layout_t layouts[3], scratch;
	choice_t choice;
	primitive_t primitive;
} some_t;

static int layout(layout_t *l, int64_t batch, int64_t rows, int64_t columns, const int64_t strides[3]) {
	dims_t dims = {batch, rows, columns}, s = {strides[0], strides[1], strides[2]};
	if (batch > 1) return lib.memory_desc_create_with_strides(l, 3, dims, FLOAT32, s);
	return lib.memory_desc_create_with_strides(l, 2, dims + 1, FLOAT32, s + 1);
}

static int make_some(some_t *s, plan_t *p, const product_t *m) {
	const int64_t *n = s->size, strides[3] = {m->rows * m->columns, m->columns, 1};
	if (layout(&s->layouts[0], n[BATCH], n[ROWS], n[INNER], m->left_strides) ||
		layout(&s->layouts[1], n[BATCH], n[INNER], n[COLUMNS], m->right_strides) ||
		layout(&s->layouts[2], n[BATCH], n[ROWS], n[COLUMNS], strides)) {
		return 1;
	}
	lib.omp_set_num_threads(1);
	int refused = lib.matmul_primitive_desc_create(&s->choice, lib.engine, s->layouts[0], s->layouts[1], NULL, s->layouts[2], lib.options) ||
		!(s->primitive = add_primitive(p, s->choice));
	lib.omp_set_num_threads(lib.threads);
	if (!refused) s->scratch = lib.primitive_desc_query_md(s->choice, ASK_SCRATCHPAD, 0);
	return refused;
}

// same tells whether s is for the size.
static int same(const some_t *s, const int64_t size[AXES]) {
	for (int i = 0; i < AXES; i++) {
		if (s->size[i] != size[i]) return 0;
	}
	return 1;
}

// make adds the parts. Behind the whole ones of each axis there may be a smaller one, so there are up to 16 sizes.
static int make(plan_t *p, const product_t *m, some_t some[16]) {
	static const int roles[] = {SRC, WEIGHTS, DST};
	const int64_t all[AXES] = {m->batch, m->rows, m->columns, m->inner}, *l = m->left_strides, *r = m->right_strides;
	p->sizes[0] = m->batch * m->rows * m->inner;
	p->sizes[1] = m->batch * m->inner * m->columns;
	p->sizes[2] = m->batch * m->rows * m->columns;
	p->addends = (m->inner + m->part[INNER] - 1) / m->part[INNER];
	p->addend = p->sizes[2];
	if (p->addends > 1) p->own_size = p->addends * p->addend * sizeof(float);
	int64_t at[AXES] = {0};
	for (;;) {
		int64_t size[AXES];
		for (int i = 0; i < AXES; i++) size[i] = all[i] - at[i] < m->part[i] ? all[i] - at[i] : m->part[i];
		some_t *s = some;
		while (s->primitive && !same(s, size)) s++;
		if (!s->primitive) {
			for (int i = 0; i < AXES; i++) s->size[i] = size[i];
			if (make_some(s, p, m)) return 1;
		}
		size_t places[] = {
			at[BATCH] * l[0] + at[ROWS] * l[1] + at[INNER] * l[2],
			at[BATCH] * r[0] + at[INNER] * r[1] + at[COLUMNS] * r[2],
			(at[BATCH] * m->rows + at[ROWS]) * m->columns + at[COLUMNS] + at[INNER] / m->part[INNER] * p->addend,
		};
		if (add_part(p, s->primitive, s->layouts, s->scratch, roles, places)) return 1;
		int axis = INNER;
		while (axis >= 0 && (at[axis] += m->part[axis]) >= all[axis]) at[axis--] = 0;
		if (axis < 0) return 0;
	}
}

int make_product(plan_t *p, const product_t *m) {
	some_t some[17] = {0};
	int refused = make(p, m, some);
	for (int i = 0; i < 17; i++) {
		for (int k = 0; k < 3; k++) {
			if (some[i].layouts[k]) lib.memory_desc_destroy(some[i].layouts[k]);
		}
		if (some[i].choice) lib.primitive_desc_destroy(some[i].choice);
	}
	return refused;
}
