// Transpose through a tile in shared memory, whose rows are padded or whose columns are swizzled.
// Compile with TILE 8, 16, 32 or 64, PADDING words a row, SWIZZLE 0 or 1 (column XOR row), THREADS.
#define PLACE(r, c) ((r) * (TILE + PADDING) + (SWIZZLE ? (c) ^ (r) % TILE : (c)))

// x: f32[rows, columns]. out: f32[columns, rows]. A thread's cells are 32·q + lane of the tile, row by row.
extern "C" __global__ void __launch_bounds__(THREADS)
padded_transpose(const float* x, float* out, int rows, int columns) {
    __shared__ float tile[TILE * (TILE + PADDING)];
    int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
#pragma unroll
    for (int cell = threadIdx.x; cell < TILE * TILE; cell += THREADS) {
        int r = cell / TILE, c = cell % TILE;
        if (first_row + r < rows && first_column + c < columns)
            tile[PLACE(r, c)] = x[static_cast<long long>(first_row + r) * columns + first_column + c];
    }
    __syncthreads();
#pragma unroll
    for (int cell = threadIdx.x; cell < TILE * TILE; cell += THREADS) {
        int r = cell / TILE, c = cell % TILE;
        if (first_column + r < columns && first_row + c < rows)
            out[static_cast<long long>(first_column + r) * rows + first_row + c] = tile[PLACE(c, r)];
    }
}
