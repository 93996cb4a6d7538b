//go:build cgo && linux && amd64

#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

library_t lib;
int library_version[3];

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

// Of the processor's control word: results and operands too small to be normal count as zeros, as in XLA.
enum { FLUSH_DENORMALS = 0x8040 };

static const char waiting[] = "OMP_WAIT_POLICY";

static void *compute(void *);

static const char *open_library(const char *path) {
	if (lib.engine) return NULL;
	// Waiting threads must not keep the processors busy that XLA works on between two calls. The user's own setting stands.
	int own = !getenv(waiting) && !setenv(waiting, "passive", 0);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (own) unsetenv(waiting);
	if (!library) return dlerror();
	// The version first: another one may lack functions, or have others by their names.
	if (!(*(void **)&lib.version = dlsym(library, "dnnl_version"))) return "it is not oneDNN: there is no function dnnl_version in it";
	const release_t *release = lib.version();
	library_version[0] = release->major, library_version[1] = release->minor, library_version[2] = release->patch;
	if (release->major != 3) return "it is not of version 3, whose functions are used here";
	if (release->processor_runtime != OPENMP) return "it was built without OpenMP, by which work is shared out here";
#define LIBRARY_FIND(type, name, parameters) \
	if (!(*(void **)&lib.name = dlsym(library, "dnnl_" #name))) return "there is no function dnnl_" #name " in it";
#define OPENMP_FIND(type, name, parameters) \
	if (!(*(void **)&lib.name = dlsym(library, #name))) return "its OpenMP has no function " #name;
	LIBRARY_FUNCTIONS(LIBRARY_FIND)
	OPENMP_FUNCTIONS(OPENMP_FIND)
	lib.threads = lib.omp_get_max_threads();
	if (lib.threads > MOST_THREADS) lib.threads = MOST_THREADS;
	engine_t e;
	if (lib.engine_create(&e, CPU, 0) || lib.stream_create(&lib.stream, e, IN_ORDER) ||
		lib.primitive_attr_create(&lib.options) || lib.primitive_attr_set_scratchpad_mode(lib.options, CALLERS_SCRATCHPAD) ||
		lib.primitive_attr_set_fpmath_mode(lib.options, STRICT)) { // float32 is float32, whatever ONEDNN_DEFAULT_FPMATH_MODE says
		return "it does not start on this processor";
	}
	pthread_t thread;
	if (sem_init(&call.asked, 0, 0) || sem_init(&call.answered, 0, 0) || pthread_create(&thread, NULL, compute, NULL)) {
		return "no thread can be started for it";
	}
	lib.engine = e;
	return NULL;
}

int library_instructions(void) { return lib.get_effective_cpu_isa(); }

const char *library_open(const char *path) {
	pthread_mutex_lock(&lock);
	const char *problem = open_library(path);
	pthread_mutex_unlock(&lock);
	return problem;
}

// keep gives a plan its number.
static int64_t keep(plan_t *p, int refused) {
	plan_t *more = NULL;
	if (!refused) more = realloc(plans, (plan_count + 1) * sizeof *plans);
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
		call.problem = run(&plans[call.plan], lib.threads, call.first, call.second, call.result);
		sem_post(&call.answered);
	}
}

int plan_sizes(int64_t plan, size_t sizes[3]) {
	pthread_mutex_lock(&lock);
	int known = plan >= 0 && plan < plan_count;
	if (known) memcpy(sizes, plans[plan].sizes, sizeof plans[plan].sizes);
	pthread_mutex_unlock(&lock);
	return !known;
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
