"""The one variant of its artifact that all functions of an endpoint run.

Each function could choose for itself, as the command line does. But Lambda's hosts differ in their
processors, and the shards of one file would then be answered by several variants.
"""

from infra.config.table import Table
from infra.config.values import Architecture, Engine, Variant

# What processors of each architecture may have, by the names that tidemill.json has for it.
FEATURES = {
    Architecture.ARM64: {"arm64", "dotprod", "i8mm", "bf16"},
    Architecture.X86_64: {"x86_64", "avx2", "avx512", "vnni", "bf16", "amx"},
}
# What every host of Lambda has: arm64 is Graviton2, and x86_64 may be without AVX-512.
# https://docs.aws.amazon.com/lambda/latest/dg/foundation-arch.html
# https://docs.aws.amazon.com/lambda/latest/dg/runtimes-avx2.html
EVERYWHERE = {
    Architecture.ARM64: {"arm64", "dotprod"},
    Architecture.X86_64: {"x86_64", "avx2"},
}


def choose_variant(
    table: Table,
    variants: tuple[Variant, ...],
    *,
    name: str | None,
    architecture: Architecture,
    memory_mb: int,
) -> Variant:
    """Return the variant called `name`, or without a name the first that runs wherever Lambda may.

    A variant that is named may ask for more than every host has; where it lacks, functions fail.
    """
    suited = [variant for variant in variants if _obstacle(variant, architecture) is None]
    chosen = (
        _first(table, suited, architecture=architecture)
        if name is None
        else _named(table, variants, suited, name=name, architecture=architecture)
    )
    if chosen.memory_mb > memory_mb:
        problem = f"= {memory_mb} is less than what the variant {chosen.name} takes"
        way_out = f"Write memory_mb = {chosen.memory_mb} or more, or name another variant"
        raise table.fault("memory_mb", problem, way_out)
    return chosen


def _first(table: Table, suited: list[Variant], *, architecture: Architecture) -> Variant:
    # The order is that of tidemill.json, fastest first as far as one can tell without trying. That of
    # report.json was timed, but on another machine; and since no digest covers it, timing again would
    # change the answers of an artifact that is still the same. Two engines are in every image.
    everywhere = EVERYWHERE[architecture]
    for variant in suited:
        if variant.engine in (Engine.NATIVE, Engine.ONNX) and variant.requires <= everywhere:
            return variant
    problem = (
        f"is missing, and no native or onnx variant runs on every {architecture} host of Lambda"
    )
    raise table.fault("variant", problem, _way_out(suited))


def _named(
    table: Table,
    variants: tuple[Variant, ...],
    suited: list[Variant],
    *,
    name: str,
    architecture: Architecture,
) -> Variant:
    named = next((variant for variant in variants if variant.name == name), None)
    if named is None:
        raise table.fault("variant", f"= {name!r} is not in the artifact", _way_out(suited))
    if obstacle := _obstacle(named, architecture):
        raise table.fault("variant", f"= {name!r} needs {obstacle}", _way_out(suited))
    return named


def _obstacle(variant: Variant, architecture: Architecture) -> str | None:
    """What the variant needs and can have on no host of the architecture."""
    if variant.engine not in list(Engine):
        return f"the engine {variant.engine}, and images have {' or '.join(Engine)}"
    if foreign := sorted(variant.requires - FEATURES[architecture]):
        return f"{', '.join(foreign)}, and the endpoint's architecture is {architecture}"
    return None


def _way_out(suited: list[Variant]) -> str:
    if not suited:
        return "Write the other architecture, or optimise the model for this one"
    names = ", ".join(variant.name for variant in suited)
    return f"Write variant = one of those for this architecture: {names}"
