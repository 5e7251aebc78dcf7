/* What the machine code of kernels asks of Numba's runtime: memory of arrays that a kernel makes, by references. */
#include <stdlib.h>

typedef struct {
    size_t references;
    void *destructor, *told, *data; /* the first two unused */
    size_t size;
    void *allocator; /* unused */
} Memory;

void *NRT_MemInfo_alloc_aligned(size_t size, unsigned align) {
    size_t unit = align < 16 ? 16 : align, head = (sizeof(Memory) + unit - 1) / unit * unit;
    Memory *memory = aligned_alloc(unit, (head + size + unit - 1) / unit * unit);
    if (memory != NULL) {
        memory->references = 1;
        memory->data = (char *)memory + head;
        memory->size = size;
    }
    return memory;
}

void *NRT_MemInfo_data_fast(Memory *memory) { return memory->data; }

void NRT_MemInfo_call_dtor(Memory *memory) { free(memory); }

/* Reached when a kernel raises an error, which ours do not. */
void numba_do_raise(void) { abort(); }
void numba_gil_ensure(void) { abort(); }
void numba_gil_release(void) { abort(); }
void numba_runtime_build_excinfo_struct(void) { abort(); }
void numba_unpickle(void) { abort(); }
void NRT_Free(void) { abort(); }
