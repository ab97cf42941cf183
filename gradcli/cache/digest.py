"""BLAKE2, without what `hashlib` loads for its other digests: OpenSSL takes as long as all else of the cache."""

from __future__ import annotations

__all__ = ["hexdigest"]

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def hexdigest(*parts: bytes, size: int) -> str:
    """The digest of all parts in hexadecimal, `2 * size` characters."""
    digest = blake2b(digest_size=size)
    for part in parts:
        digest.update(part)
    return str(digest.hexdigest())
