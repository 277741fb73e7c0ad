// Stream through memory with exactly LOADS loads of WIDTH bytes outstanding a thread, and follow a chain of addresses.
// Compile with LOADS 1..16 and WIDTH 4 or 16.
#if WIDTH == 4
typedef unsigned Word;
#define LOAD(v, p) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p))
#define LAST(v) v
#define ADD(v) sum += v ^ gate
#else
typedef uint4 Word;
#define LOAD(v, p) \
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p))
#define LAST(v) v.w
#define ADD(v) sum += (v.x ^ gate) + (v.y ^ gate) + (v.z ^ gate) + (v.w ^ gate)
#endif

// x: Word[rounds · grid · block · LOADS]. sums: u32[grid · block], what each thread's words add up to. none: 0.
extern "C" __global__ void stream_loads(const Word* x, long long rounds, unsigned none, unsigned* sums) {
    const Word* at = x + static_cast<long long>(blockIdx.x) * blockDim.x * LOADS + threadIdx.x;
    long long step = static_cast<long long>(gridDim.x) * blockDim.x * LOADS;
    unsigned sum = 0;
#pragma unroll 1
    for (long long round = 0; round < rounds; round++, at += step) {
        Word v[LOADS];
#pragma unroll
        for (int u = 0; u < LOADS; u++) LOAD(v[u], at + u * blockDim.x);
        // No word is used before the last is asked for: without this the compiler saves registers by adding earlier.
        unsigned gate = LAST(v[LOADS - 1]) & none;
#pragma unroll
        for (int u = 0; u < LOADS; u++) ADD(v[u]);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// next: i32[n], a chain; one thread takes `warm` steps, then `steps` timed ones. last: i32[1]. spent: i64[2] = cycles, ns.
extern "C" __global__ void follow_chain(const int* next, int warm, int steps, int* last, long long* spent) {
    int at = 0;
    for (int i = 0; i < warm; i++) at = next[at];
    long long ns, ns_end;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < steps; i++) asm volatile("ld.global.u32 %0, [%1];" : "=r"(at) : "l"(next + at) : "memory");
    asm volatile("" ::"r"(at) : "memory");
    last[0] = at;
    long long end = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns_end));
    spent[0] = end - begin;
    spent[1] = ns_end - ns;
}
