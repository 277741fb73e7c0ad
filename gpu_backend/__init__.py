"""The GPU box: kernels that run on a CUDA machine. It may import `sim` to compare, never `widgets`."""
