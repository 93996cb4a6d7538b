package engine

// mallocEnv is the environment variable that leaves the C library's allocator as it is: "off".
const mallocEnv = "PUCL_MALLOC"
