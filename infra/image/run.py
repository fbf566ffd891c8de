"""Run the image on this machine under the restrictions that Lambda puts on it."""

from collections.abc import Mapping

# Lambda's quotas. podman's own defaults are higher, and a root inside a container may not grant them.
_LIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024")
# The disk is read-only but for /tmp; podman alone would also let /run and /var/tmp be written.
_DISK = ("--read-only", "--read-only-tmpfs=false", "--tmpfs", "/tmp")  # noqa: S108 -- the container's


def command(
    image: str,
    *words: str,
    environment: Mapping[str, str] | None = None,
    options: tuple[str, ...] = (),
) -> list[str]:
    """Return the podman command that runs the image in the foreground, with `words` as its CMD.

    A function asks the Runtime API at AWS_LAMBDA_RUNTIME_API for its events. It is on the host's network, so
    that may be a server on 127.0.0.1. Further `options` are podman's.
    """
    run = ["podman", "run", "--rm", "--runtime", "runc", "--network", "host", *_DISK, *_LIMITS]
    for name, value in (environment or {}).items():
        run += ["--env", f"{name}={value}"]
    return [*run, *options, image, *words]
