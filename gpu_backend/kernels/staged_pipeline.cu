// Items stream through SLOTS slots of shared memory: cp.async moves, then the block works on what has arrived.
// Compile with SLOTS 1..6, MOVE 0 or 1 (0: slots hold the first items throughout), WORK 0 or 1.
#define THREADS 256
#define CHUNKS 8  // 16-byte chunks of an item a thread moves: 256 × 8 × 16 = 32,768 bytes an item

__device__ void move(uint4* slot, const uint4* item) {
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(slot + c * THREADS + threadIdx.x));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(item + c * THREADS + threadIdx.x));
    }
}

// x: f32[grid, items, 8192], small whole numbers. out: f32[grid, 256]: each thread's words, added up exactly, of all
// items (WORK 1) or of the last one (WORK 0). fmas: dependent fused multiply-adds a thread adds to each item.
extern "C" __global__ void staged_pipeline(const uint4* x, int items, int fmas, float one, float* out) {
    extern __shared__ uint4 slots[];
    const int size = CHUNKS * THREADS;
    x += static_cast<long long>(blockIdx.x) * items * size;
    float sum = 0;
    for (int i = 0; i < (MOVE ? SLOTS - 1 : SLOTS); i++) {
        if (i < items) move(slots + i * size, x + i * size);
        asm volatile("cp.async.commit_group;");
    }
    if (!MOVE) asm volatile("cp.async.wait_group 0;");
    for (int i = 0; i < items; i++) {
        if (MOVE) {
            if (SLOTS == 1) {
                __syncthreads();  // the one slot is free once all have read it
                move(slots, x + i * size);
                asm volatile("cp.async.commit_group;");
                asm volatile("cp.async.wait_group 0;");
            } else {
                asm volatile("cp.async.wait_group %0;" ::"n"(SLOTS > 1 ? SLOTS - 2 : 0));  // item i has arrived
            }
            __syncthreads();  // for every thread, and all have done with item i - 1, whose slot is next to fill
            if (SLOTS > 1) {
                int ahead = i + SLOTS - 1;
                if (ahead < items) move(slots + ahead % SLOTS * size, x + ahead * size);
                asm volatile("cp.async.commit_group;");
            }
        } else {
            __syncthreads();
        }
        if (WORK || i == items - 1) {
            const uint4* slot = slots + i % SLOTS * size;
#pragma unroll
            for (int c = 0; c < CHUNKS; c++) {
                uint4 v = slot[c * THREADS + threadIdx.x];
                sum += __uint_as_float(v.x) + __uint_as_float(v.y) + __uint_as_float(v.z) + __uint_as_float(v.w);
            }
        }
        if (WORK) {
#pragma unroll 8
            for (int f = 0; f < fmas; f++) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(sum) : "f"(one), "f"(0.0f));
        }
    }
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}
