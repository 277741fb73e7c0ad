// One shared-memory request of a warp, over and over: WIDTH bytes a lane at offset[lane] (-1: lane inactive).
// Compile with WIDTH 4, 8 or 16 and STORE 0 or 1.
#define UNROLL 16
#if WIDTH == 4
#define LOAD(v) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(at) : "memory")
#define SAVE(v) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(v[0]) : "memory")
#elif WIDTH == 8
#define LOAD(v) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(at) : "memory")
#define SAVE(v) asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(v[0]), "r"(v[1]) : "memory")
#else
#define LOAD(v) asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" \
    : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(at) : "memory")
#define SAVE(v) asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" \
    ::"r"(at), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory")
#endif

// words: size of the shared memory in use. sums: u32[threads, WIDTH / 4], what each thread's loads add up to.
// dump: u32[words], what shared memory holds at the end. span: i64[warps, 2], clock at begin and end of each warp.
extern "C" __global__ void bank_cycles(const int* offset, int words, int rounds, unsigned* sums, unsigned* dump,
                                       long long* span) {
    extern __shared__ uint4 memory[];
    unsigned* word = reinterpret_cast<unsigned*>(memory);
    for (int i = threadIdx.x; i < words; i += blockDim.x) word[i] = 2654435761u * (i + 1);
    int lane = threadIdx.x % 32, here = offset[lane];
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + here;
    unsigned sum[WIDTH / 4] = {};
    __syncthreads();
    long long begin = clock64();
    if (here >= 0) {
#pragma unroll 1
        for (int round = 0; round < rounds; round++) {
#if STORE
            unsigned value[WIDTH / 4];
            for (int w = 0; w < WIDTH / 4; w++) value[w] = lane * 4 + w + 1;
#pragma unroll
            for (int u = 0; u < UNROLL; u++) SAVE(value);
#else
            unsigned value[UNROLL][WIDTH / 4];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) LOAD(value[u]);
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                for (int w = 0; w < WIDTH / 4; w++) sum[w] += value[u][w];
#endif
        }
    }
    __syncwarp();
#if STORE
    // a store has no result to wait for: read one word back behind them
    unsigned last;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(last) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(memory)))
                 : "memory");
    asm volatile("" ::"r"(last) : "memory");
    sum[0] = last - last;
#endif
    long long end = clock64();
    if (lane == 0) {
        span[threadIdx.x / 32 * 2] = begin;
        span[threadIdx.x / 32 * 2 + 1] = end;
    }
    for (int w = 0; w < WIDTH / 4; w++) sums[threadIdx.x * (WIDTH / 4) + w] = sum[w];
    __syncthreads();
    for (int i = threadIdx.x; i < words; i += blockDim.x) dump[i] = word[i];
}
