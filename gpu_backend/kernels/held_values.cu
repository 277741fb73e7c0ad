// A kernel that holds so many values at once, so that the compiler takes every register it may have. It is never
// launched: only how many of its blocks fit an SM is asked. HELD: values a thread.

extern "C" __global__ void held_values(float* values, int rounds) {
    float held[HELD];
#pragma unroll
    for (int i = 0; i < HELD; ++i) held[i] = values[i * blockDim.x + threadIdx.x];
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < HELD; ++i) held[i] = fmaf(held[i], held[(i + 1) % HELD], held[(i + 7) % HELD]);
    }
#pragma unroll
    for (int i = 0; i < HELD; ++i) values[i * blockDim.x + threadIdx.x] = held[i];
}
