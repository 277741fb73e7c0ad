"""What is on a chip, as products: so many SMs × so many of something in each.

Source: sim/gpus.toml. Each SM of the compute capabilities there has four partitions, each with one warp scheduler
and a quarter of the registers and FP32 cores; tensor cores: two a partition on 7.0 and 7.5, one from 8.0 on.
Left out: FP64 and INT32 cores, ray tracing; SMs that the die has and the product does not switch on.
"""

from dataclasses import dataclass
from math import prod

from sim.gpus import gpu


@dataclass(frozen=True, slots=True)
class Product:
    """``factors`` multiplied: what of, how many in all, and what each factor counts."""

    what: str
    unit: str
    factors: tuple[tuple[float, str], ...]

    @property
    def total(self) -> float:
        """The product."""
        return prod(factor for factor, _ in self.factors)


def products(gpu_key: str) -> tuple[Product, ...]:
    """The products of one GPU of `sim.gpus`; ValueError if there is no such.

    >>> [f"{product.what}: {product.total:g}" for product in products("h100")][:4]
    ['partitions: 528', 'fp32_cores: 16896', 'tensor_cores: 528', 'threads: 270336']
    """
    chip = gpu(gpu_key)
    sm, sms = chip.sm, (chip.sms, "SMs")
    partition = (sm.partitions, "partitions per SM")
    clock = (chip["clock"].value, "GHz")
    cores = (sm.fp32_cores, "FP32 cores per SM")
    return (
        Product("partitions", "", (sms, partition)),
        Product("fp32_cores", "", (sms, cores)),
        Product("tensor_cores", "", (sms, partition, (sm.tensor_cores // sm.partitions, "tensor cores per partition"))),
        Product("threads", "", (sms, (sm.threads, "resident threads per SM"))),
        Product("registers", "bytes", (sms, (sm.registers, "registers per SM"), (4, "bytes"))),
        Product("shared", "bytes", (sms, (sm.shared_bytes, "bytes of shared memory per SM"))),
        Product("fp32_peak", "GFLOP/s", (sms, cores, (2, "FLOP per multiply-add"), clock)),
    )
