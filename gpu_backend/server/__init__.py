"""`gpubook-box serve`: the GPU box over HTTP. GPU work runs in a child process; here are queue, guards and streams."""
