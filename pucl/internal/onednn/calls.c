//go:build cgo && linux && amd64

// How XLA comes to call oneDNN: by a handler for custom calls, registered through the plugin's FFI extension, and by a look at every
// program before the plugin compiles it. What is declared here are the parts that are used of XLA's foreign function interface, version 0.1,
// whose structures begin as those of plugins do.

#include "plan.h"
#include "plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FFI_EXTENSION = 5 }; // its kind

typedef struct {
	size_t struct_size;
	const char *name;
	size_t name_size;
	void *handler;
	const char *platform;
	size_t platform_size;
	int traits;
} registration_t;

typedef struct {
	extension_t base;
	void *type_register, *user_data_add;
	void *(*register_handler)(registration_t *);
} ffi_extension_t;

// XLA's foreign function interface

typedef struct {
	size_t struct_size;
	extension_t *extensions;
	int type;
	void *data;
	int64_t rank, *dimensions;
} buffer_t;

typedef struct {
	size_t struct_size;
	extension_t *extensions;
	int64_t count;
	int *kinds;
	buffer_t **buffers;
} buffers_t;

typedef struct {
	int type;
	void *value;
} scalar_t;

typedef struct {
	size_t struct_size;
	extension_t *extensions;
	int64_t count;
	int *kinds;
	void **names;
	scalar_t **values;
} attributes_t;

typedef struct {
	size_t struct_size;
	extension_t *extensions;
	const char *message;
	int code;
} error_t;

typedef struct {
	size_t struct_size;
	extension_t *extensions;
	version_t version;
	void *internal;
	void *(*error_create)(error_t *);
} ffi_t;

typedef struct {
	size_t struct_size;
	extension_t *extensions;
	const ffi_t *ffi;
	void *context;
	int stage;
	buffers_t operands, results;
	attributes_t attributes;
} call_t;

typedef struct {
	extension_t base;
	struct {
		size_t struct_size;
		version_t version;
		uint32_t traits;
	} *metadata;
} metadata_extension_t;

enum { METADATA = 1, EXECUTE = 3, INVALID = 3, INTERNAL = 13 };
enum { INT64 = 5, FLOAT = 11, BUFFER = 1, SCALAR = 3 }; // types of numbers, and kinds of arguments and attributes

static void *fail(const call_t *call, int code, const char *message) {
	error_t e = {.struct_size = sizeof e, .message = message, .code = code};
	return call->ffi->error_create(&e);
}

// holds tells whether b is as many numbers as a plan was made for.
static int holds(const buffer_t *b, size_t size) {
	size_t count = 1;
	for (int64_t i = 0; i < b->rank; i++) count *= (size_t)b->dimensions[i]; // XLA has no arrays of so many that this is too much
	return b->type == FLOAT && b->data && count == size;
}

// fits tells whether a call has a plan, and the arrays that it was made for.
static int fits(const call_t *call) {
	const buffers_t *in = &call->operands, *out = &call->results;
	const attributes_t *a = &call->attributes;
	if (in->count != 2 || in->kinds[0] != BUFFER || in->kinds[1] != BUFFER || out->count != 1 || out->kinds[0] != BUFFER) return 0;
	if (a->count != 1 || a->kinds[0] != SCALAR || a->values[0]->type != INT64) return 0;
	size_t sizes[3];
	return !plan_sizes(*(int64_t *)a->values[0]->value, sizes) && holds(in->buffers[0], sizes[0]) && holds(in->buffers[1], sizes[1]) &&
		holds(out->buffers[0], sizes[2]);
}

// handler is what programs call, with two arrays, the number of a plan, and an array for the result.
static void *handler(call_t *call) {
	if (call->extensions && call->extensions->kind == METADATA) { // asked for the version it was written for
		metadata_extension_t *m = (metadata_extension_t *)call->extensions;
		m->metadata->version.major = 0;
		m->metadata->version.minor = 1;
		m->metadata->traits = 0;
		return NULL;
	}
	if (call->stage != EXECUTE) return NULL;
	if (!fits(call)) return fail(call, INVALID, "a call of oneDNN names no plan for arrays of these types and sizes");
	int64_t plan = *(int64_t *)call->attributes.values[0]->value;
	buffer_t **operands = call->operands.buffers;
	int problem = plan_run(plan, operands[0]->data, operands[1]->data, call->results.buffers[0]->data);
	if (!problem) return NULL;
	char message[80] = "oneDNN has no memory to compute in";
	if (problem != OUT_OF_MEMORY) snprintf(message, sizeof message, "oneDNN could not compute: its status is %d", problem);
	return fail(call, INTERNAL, message);
}

static compile_function *compile; // what stood in the table before

extern char *rewriteProgram(char *code, size_t size); // of the Go files: a new text, or NULL to leave it

void *calls_compile(compile_t *c) {
	const program_t *given = c->program;
	if (given->format_size != 4 || strncmp(given->format, "mlir", 4)) return compile(c);
	char *text = rewriteProgram(given->code, given->code_size);
	if (!text) return compile(c);
	program_t program = *given;
	program.code = text;
	program.code_size = strlen(text);
	c->program = &program;
	void *problem = compile(c);
	c->program = given;
	free(text);
	return problem;
}

const char *calls_attach(const void *plugin, void *before) {
	extension_t *e = ((const table_t *)plugin)->extensions;
	while (e && e->kind != FFI_EXTENSION) e = e->next;
	if (!e || e->struct_size < sizeof(ffi_extension_t)) return "the plugin takes no custom calls";
	static const char name[] = "puclab_onednn";
	registration_t r = {sizeof r, name, strlen(name), handler, "Host", 4, 0};
	if (((ffi_extension_t *)e)->register_handler(&r)) return "the plugin takes custom calls of another version";
	compile = before;
	return NULL;
}
