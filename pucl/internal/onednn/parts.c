//go:build cgo && linux && amd64

// What plans are made of, and how they are computed.

#include "library.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

primitive_t add_primitive(plan_t *p, choice_t choice) {
	if (p->primitive_count == sizeof p->primitives / sizeof *p->primitives) return NULL;
	const char *way;
	if (lib.primitive_desc_query(choice, ASK_WAY, 0, &way) || !strncmp(way, "ref", 3)) return NULL; // XLA is faster
	primitive_t made;
	if (lib.primitive_create(&made, choice)) return NULL;
	size_t scratch = lib.memory_desc_get_size(lib.primitive_desc_query_md(choice, ASK_SCRATCHPAD, 0));
	if (scratch > p->scratch_size) p->scratch_size = scratch;
	return p->primitives[p->primitive_count++] = made;
}

int add_part(plan_t *p, primitive_t primitive, const layout_t layouts[3], layout_t scratch, const int roles[3], const size_t at[3]) {
	part_t *more = realloc(p->parts, (p->part_count + 1) * sizeof *more);
	if (!more) return 1;
	p->parts = more;
	part_t *q = &more[p->part_count++];
	*q = (part_t){.primitive = primitive};
	view_t *views[] = {&q->first, &q->second, &q->result};
	for (int i = 0; i < 3; i++) {
		views[i]->at = at[i];
		if (lib.memory_create(&views[i]->memory, layouts[i], lib.engine, NULL)) return 1;
		q->arguments[i] = (argument_t){roles[i], views[i]->memory};
	}
	if (lib.memory_create(&q->scratch.memory, scratch, lib.engine, NULL)) return 1;
	q->arguments[3] = (argument_t){SCRATCHPAD, q->scratch.memory};
	return 0;
}

int make_change(change_t *c, layout_t from, layout_t to) {
	choice_t choice = NULL;
	int refused = lib.reorder_primitive_desc_create(&choice, from, lib.engine, to, lib.engine, lib.options) ||
		lib.memory_desc_get_size(lib.primitive_desc_query_md(choice, ASK_SCRATCHPAD, 0)) || // no change of order is known to need room
		lib.primitive_create(&c->primitive, choice) || lib.memory_create(&c->from.memory, from, lib.engine, NULL) ||
		lib.memory_create(&c->to.memory, to, lib.engine, NULL);
	if (choice) lib.primitive_desc_destroy(choice);
	return refused;
}

static void forget(view_t v) {
	if (v.memory) lib.memory_destroy(v.memory);
}

static void undo(const change_t *c) {
	if (c->primitive) lib.primitive_destroy(c->primitive);
	forget(c->from);
	forget(c->to);
}

void destroy(plan_t *p) {
	for (int i = 0; i < p->part_count; i++) {
		forget(p->parts[i].first);
		forget(p->parts[i].second);
		forget(p->parts[i].result);
		forget(p->parts[i].scratch);
	}
	for (int i = 0; i < p->primitive_count; i++) lib.primitive_destroy(p->primitives[i]);
	undo(&p->before);
	for (int i = 0; i < p->after_count; i++) undo(&p->after[i]);
	free(p->parts);
	free(p->after);
}

// One piece of memory serves all plans in turn.
static char *room;
static size_t room_size;

static size_t aligned(size_t size) { return (size + 63) / 64 * 64; }

// reserve makes room for size bytes and returns 0 if there is memory for them.
static int reserve(size_t size) {
	if (size <= room_size) return 0;
	free(room);
	size = (size + 4095) / 4096 * 4096;
	room = aligned_alloc(4096, size);
	room_size = room ? size : 0;
	return !room;
}

// A job is a plan in work. Each thread takes the next part, or the next stretch of numbers to add up, until there is none left.
typedef struct {
	const plan_t *plan;
	const float *first, *second;
	float *result;
	char *rooms;      // one for each thread
	size_t room_size;
	atomic_int next, problem;
} job_t;

static int place(view_t v, const void *array) { return lib.memory_set_data_handle(v.memory, (float *)array + v.at); }

// gather copies what a part takes of the rows of its second operand.
static void gather(const plan_t *p, const part_t *q, float *to, const float *from) {
	for (size_t i = 0; i < q->rows; i++) memcpy(to + i * p->slice, from + i * p->row, p->slice * sizeof *to);
}

static int compute_part(const job_t *j, const part_t *q, char *own) {
	const plan_t *p = j->plan;
	const float *second = j->second + q->second.at;
	if (p->slice) {
		float *slices = (float *)(own + aligned(p->scratch_size));
		gather(p, q, slices, second);
		second = slices;
	}
	int problem;
	if ((problem = place(q->first, j->first)) || (problem = lib.memory_set_data_handle(q->second.memory, (void *)second)) ||
		(problem = place(q->result, j->result)) || (problem = lib.memory_set_data_handle(q->scratch.memory, own))) {
		return problem;
	}
	return lib.primitive_execute(q->primitive, lib.stream, 4, q->arguments);
}

static void compute_parts(void *work) {
	job_t *j = work;
	char *own = j->rooms + lib.omp_get_thread_num() * j->room_size;
	for (int i; (i = atomic_fetch_add(&j->next, 1)) < j->plan->part_count;) {
		int problem = compute_part(j, &j->plan->parts[i], own);
		if (problem) atomic_store(&j->problem, problem);
	}
}

enum { STRETCH = 2048 };

// add_stretches writes the sums of the addends, which begin at j->first, to j->result: always in the same order.
static void add_stretches(void *work) {
	job_t *j = work;
	size_t count = j->plan->addend;
	for (size_t from; (from = STRETCH * (size_t)atomic_fetch_add(&j->next, 1)) < count;) {
		size_t numbers = count - from < STRETCH ? count - from : STRETCH;
		float sum[STRETCH];
		memcpy(sum, j->first + from, numbers * sizeof *sum);
		for (size_t i = 1; i < j->plan->addends; i++) {
			const float *addend = j->first + i * count + from;
			for (size_t k = 0; k < numbers; k++) sum[k] += addend[k];
		}
		memcpy(j->result + from, sum, numbers * sizeof *sum);
	}
}

static int change(const change_t *c, const float *from, float *to) {
	int problem = place(c->from, from);
	if (!problem) problem = place(c->to, to);
	return problem ? problem : lib.primitive_execute(c->primitive, lib.stream, 2, (argument_t[]){{SRC, c->from.memory}, {DST, c->to.memory}});
}

int run(const plan_t *p, int threads, const float *first, const float *second, float *result) {
	size_t most = 0; // rows of a part that are gathered
	for (int i = 0; i < p->part_count; i++) most = p->parts[i].rows > most ? p->parts[i].rows : most;
	int team = p->part_count < threads ? p->part_count : threads;
	size_t turned = aligned(p->turned * p->places * sizeof *result), own = aligned(p->own_size);
	size_t each = aligned(p->scratch_size) + aligned(most * p->slice * sizeof *result);
	if (reserve(turned + own + team * each)) return OUT_OF_MEMORY;
	float *kept = (float *)(room + turned);
	int problem;
	if (turned) { // rows and columns in the opposite order; they are the slowest axes
		float *to = (float *)room;
		for (size_t i = 0; i < p->places; i++) {
			memcpy(to + i * p->turned, second + (p->places - 1 - i) * p->turned, p->turned * sizeof *to);
		}
		second = to;
	}
	if (p->before.primitive) {
		if ((problem = change(&p->before, second, kept))) return problem;
		second = kept;
	}
	int further = p->addends > 1 || p->after_count;
	job_t parts = {.plan = p, .first = first, .second = second, .result = further ? kept : result, .rooms = room + turned + own, .room_size = each};
	lib.omp_set_num_threads(1); // what the library did in parallel here would not fit the room of a part
	lib.GOMP_parallel(compute_parts, &parts, team, 0);
	lib.omp_set_num_threads(threads);
	if (parts.problem) return parts.problem;
	if (p->addends > 1) {
		job_t sum = {.plan = p, .first = kept, .result = p->after_count ? kept : result};
		size_t stretches = (p->addend + STRETCH - 1) / STRETCH;
		lib.GOMP_parallel(add_stretches, &sum, stretches < (size_t)threads ? (unsigned)stretches : (unsigned)threads, 0);
	}
	for (int i = 0; i < p->after_count; i++) {
		if ((problem = change(&p->after[i], kept, result))) return problem;
	}
	return lib.stream_wait(lib.stream);
}
