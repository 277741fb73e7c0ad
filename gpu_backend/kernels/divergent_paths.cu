// One warp at a branch with up to four loops, and one warp in a loop with its own trip count a lane.
// Each iteration is one dependent fused multiply-add, x = x·one + path number + 1, so x counts the iterations exactly.
// Unrolled by 50, which divides the lengths of the experiment: a rest would run slower, one iteration at a time.
#define LOOP(b, n)                                                                            \
    _Pragma("unroll 50") for (int i = 0; i < (n); i++)                                         \
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(one), "f"(b))

// path: i32[32], which loop each lane takes. lengths: i32[4]. cycles: i64[32]. out: f32[32].
extern "C" __global__ void divergent_paths(const int* path, const int* lengths, float one, float* out,
                                           long long* cycles) {
    int mine = path[threadIdx.x], n0 = lengths[0], n1 = lengths[1], n2 = lengths[2], n3 = lengths[3];
    if ((mine | n0 | n1 | n2 | n3) < 0) return;  // none is: but now all are in registers before the clock is read
    float x = 0;
    __syncwarp();
    long long begin = clock64();
    switch (mine) {
        case 0: LOOP(1.0f, n0); break;
        case 1: LOOP(2.0f, n1); break;
        case 2: LOOP(3.0f, n2); break;
        default: LOOP(4.0f, n3);
    }
    __syncwarp();
    long long end = clock64();
    out[threadIdx.x] = x;
    cycles[threadIdx.x] = end - begin;
}

// trips: i32[32], iterations of each lane.
extern "C" __global__ void own_trip_count(const int* trips, float one, float* out, long long* cycles) {
    int mine = trips[threadIdx.x];
    if (mine < 0) return;  // as above
    float x = 0;
    __syncwarp();
    long long begin = clock64();
    LOOP(1.0f, mine);
    __syncwarp();
    long long end = clock64();
    out[threadIdx.x] = x;
    cycles[threadIdx.x] = end - begin;
}
