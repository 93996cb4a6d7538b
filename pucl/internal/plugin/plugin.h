// The parts that are used of the interface of PJRT plugins, whose tables and structures only ever grow at their end.
#ifndef PUCLAB_PLUGIN_H
#define PUCLAB_PLUGIN_H

#include <stddef.h>

// Every structure begins with its size and a list of extensions.

typedef struct extension {
	size_t struct_size;
	int kind;
	struct extension *next;
} extension_t;

typedef struct {
	size_t struct_size;
	extension_t *extensions;
	int major, minor;
} version_t;

// A table has a plugin's functions. Each takes a structure and returns NULL or a problem, which is the caller's to free.
typedef struct {
	size_t struct_size;
	extension_t *extensions;
	version_t version;
	void *functions[];
} table_t;

typedef struct {
	size_t struct_size;
	extension_t *extensions;
	char *code;
	size_t code_size;
	const char *format;
	size_t format_size;
} program_t;

typedef struct compile {
	size_t struct_size;
	extension_t *extensions;
	void *client;
	const program_t *program;
	const char *options;
	size_t options_size;
	void *executable; // set by the function
} compile_t;

// destroy_t is for a client or an executable.
typedef struct {
	size_t struct_size;
	extension_t *extensions;
	void *what;
} destroy_t;

typedef void *compile_function(compile_t *);
typedef void *destroy_function(destroy_t *);

#endif
