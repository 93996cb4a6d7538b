package engine

// mallocEnv is the environment variable that leaves the C library's allocator unchanged: "off".
const mallocEnv = "PUCL_MALLOC"
