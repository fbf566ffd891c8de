#!/bin/sh
# Make the image's base from Debian packages, for machines that reach a Debian mirror but no image
# registry: Debian 12 with its own Python 3.11, about what python:3.11-slim-bookworm is.
#
#   infra/image/debian-base.sh [TAG]       default localhost/tidemill-base:bookworm
#
# Needs root, debootstrap, and one of podman, docker or buildah. ARCH=arm64 makes the base of another
# architecture (with qemu-user-static and binfmt-support), MIRROR takes another Debian mirror.
set -eu

tag=${1:-localhost/tidemill-base:bookworm}
arch=${ARCH:-$(dpkg --print-architecture)}
mirror=${MIRROR:-http://deb.debian.org/debian}

for engine in podman docker buildah none; do
    command -v "$engine" >/dev/null && break
done
if [ "$engine" = none ]; then
    echo "debian-base.sh: no podman, docker or buildah found; install one of them" >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

debootstrap --arch="$arch" --variant=minbase --include=ca-certificates,python3,python3-venv \
    bookworm "$root" "$mirror" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }

# What Debian's own slim images leave out too. The byte code stays: on Lambda's read-only disk
# Python could not keep what it compiles, and would compile it again on every cold start.
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/* "$root"/tmp/* \
    "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/info/* \
    "$root"/usr/share/locale/*
# debootstrap copies the host's; every engine mounts its own.
rm -f "$root/etc/resolv.conf" "$root/etc/hostname"

tar --numeric-owner --sort=name -C "$root" -cf "$work/root.tar" .
case $engine in
podman)
    podman import --quiet --arch "$arch" "$work/root.tar" "$tag"
    ;;
docker)
    docker import --platform "linux/$arch" "$work/root.tar" "$tag"
    ;;
buildah)
    container=$(buildah from --arch "$arch" scratch)
    buildah add --quiet "$container" "$work/root.tar" /
    buildah commit --quiet --rm "$container" "$tag"
    ;;
esac
