"""The models that `wm models pull` may fetch, with the size and digest of every file (RC-2)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct


class PinnedFile(Struct, frozen=True):
    name: str
    size: int
    sha256: str


class Pinned(Struct, frozen=True):
    """A model that can be fetched. license: as its authors state it."""

    name: str
    repository: str
    commit: str
    license: str
    files: tuple[PinnedFile, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


PINNED: Mapping[str, Pinned] = MappingProxyType(
    {
        model.name: model
        for model in (
            Pinned(
                "minilm",
                "sentence-transformers/all-MiniLM-L6-v2",
                "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
                "Apache-2.0",
                (
                    PinnedFile(
                        "onnx/model.onnx",
                        90_405_214,
                        "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
                    ),
                    PinnedFile(
                        "config.json",
                        612,
                        "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
                    ),
                    PinnedFile(
                        "tokenizer.json",
                        466_247,
                        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                    ),
                    PinnedFile(
                        "tokenizer_config.json",
                        350,
                        "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
                    ),
                    PinnedFile(
                        "special_tokens_map.json",
                        112,
                        "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
                    ),
                    PinnedFile(
                        "1_Pooling/config.json",
                        190,
                        "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
                    ),
                ),
            ),
        )
    }
)
