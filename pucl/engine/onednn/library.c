//go:build cgo && linux && amd64

#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

library_t lib;

// One plan computes at a time, on all processors.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// All plans compute on one thread of their own. OpenMP keeps a team of threads for every thread that calls it, and XLA calls from
// as many as there are processors.
static struct {
	sem_t asked, answered;
	int64_t plan;
	const float *first, *second;
	float *result;
	int problem;
} call;

static plan_t *plans;
static int64_t plan_count;

// One piece of memory serves all plans in turn.
static char *room;
static size_t room_size;

// Of the processor's control word: results and operands too small to be normal count as zeros, as in XLA.
enum { FLUSH_DENORMALS = 0x8040 };

static void *compute(void *);

static const char *open_library(const char *path) {
	if (lib.engine) return NULL;
	// Waiting threads must not keep the processors busy that XLA works on between two calls. The user's own setting stands.
	setenv("OMP_WAIT_POLICY", "passive", 0);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) return dlerror();
#define LIBRARY_FIND(type, name, parameters) \
	if (!(*(void **)&lib.name = dlsym(library, "dnnl_" #name))) return "there is no function dnnl_" #name " in it";
	LIBRARY_FUNCTIONS(LIBRARY_FIND)
	engine_t e;
	if (lib.engine_create(&e, CPU, 0) || lib.stream_create(&lib.stream, e, IN_ORDER) ||
		lib.primitive_attr_create(&lib.options) || lib.primitive_attr_set_scratchpad_mode(lib.options, CALLERS_SCRATCHPAD)) {
		return "it does not start on this processor";
	}
	pthread_t thread;
	if (sem_init(&call.asked, 0, 0) || sem_init(&call.answered, 0, 0) || pthread_create(&thread, NULL, compute, NULL)) {
		return "no thread can be started for it";
	}
	lib.engine = e;
	return NULL;
}

const char *library_open(const char *path) {
	pthread_mutex_lock(&lock);
	const char *problem = open_library(path);
	pthread_mutex_unlock(&lock);
	return problem;
}

static void destroy(plan_t *p) {
	memory_t memories[] = {p->first, p->second, p->result, p->own, p->scratch};
	for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
		if (memories[i]) lib.memory_destroy(memories[i]);
	}
	for (int i = 0; i < 2; i++) {
		if (p->steps[i]) lib.primitive_destroy(p->steps[i]);
	}
}

// keep gives a plan its number. Ways without machine code of their own are slower than XLA and not kept.
static int64_t keep(plan_t *p, int refused) {
	plan_t *more = NULL;
	if (!refused && strncmp(p->way, "ref", 3)) more = realloc(plans, (plan_count + 1) * sizeof *plans);
	if (!more) {
		destroy(p);
		return -1;
	}
	plans = more;
	plans[plan_count] = *p;
	return plan_count++;
}

int64_t plan_convolution(const convolution_t *c) {
	pthread_mutex_lock(&lock);
	plan_t p = {0};
	int64_t number = keep(&p, !lib.engine || make_convolution(&p, c));
	pthread_mutex_unlock(&lock);
	return number;
}

int64_t plan_product(const product_t *m) {
	pthread_mutex_lock(&lock);
	plan_t p = {0};
	int64_t number = keep(&p, !lib.engine || make_product(&p, m));
	pthread_mutex_unlock(&lock);
	return number;
}

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

static int run(const plan_t *p, const float *first, const float *second, float *result) {
	size_t own = aligned(p->own_size), scratch = aligned(p->scratch_size), turned = p->turned * p->places * sizeof(float);
	if (reserve(own + scratch + turned)) return OUT_OF_MEMORY;
	if (turned) { // rows and columns in the opposite order; they are the slowest axes
		float *to = (float *)(room + own + scratch);
		for (size_t i = 0; i < p->places; i++) {
			memcpy(to + i * p->turned, second + (p->places - 1 - i) * p->turned, p->turned * sizeof *to);
		}
		second = to;
	}
	int problem;
	if ((problem = lib.memory_set_data_handle(p->first, (void *)first)) ||
		(problem = lib.memory_set_data_handle(p->second, (void *)second)) ||
		(problem = lib.memory_set_data_handle(p->result, result)) ||
		(problem = lib.memory_set_data_handle(p->scratch, room + own)) ||
		(p->own && (problem = lib.memory_set_data_handle(p->own, room)))) {
		return problem;
	}
	for (int i = 0; i < p->step_count; i++) {
		if ((problem = lib.primitive_execute(p->steps[i], lib.stream, p->argument_counts[i], p->arguments[i]))) return problem;
	}
	return lib.stream_wait(lib.stream);
}

// wait waits for a post; signals do not end it.
static void wait(sem_t *s) {
	while (sem_wait(s)) {}
}

// compute is the thread's life.
static void *compute(void *unused) {
	(void)unused;
	_mm_setcsr(_mm_getcsr() | FLUSH_DENORMALS);
	for (;;) {
		wait(&call.asked);
		call.problem = run(&plans[call.plan], call.first, call.second, call.result);
		sem_post(&call.answered);
	}
}

int plan_run(int64_t plan, const float *first, const float *second, float *result) {
	int problem = INVALID_ARGUMENTS;
	pthread_mutex_lock(&lock);
	if (plan >= 0 && plan < plan_count) {
		call.plan = plan, call.first = first, call.second = second, call.result = result;
		sem_post(&call.asked);
		wait(&call.answered);
		problem = call.problem;
	}
	pthread_mutex_unlock(&lock);
	return problem;
}
