"""Detect the script of a text: Chinese, Japanese and Korean have no spaces between words. Pure."""

from __future__ import annotations


def is_cjk(char: str) -> bool:
    """True for Han, Kana and Hangul."""
    return char >= "\u1100" and (
        "\u3041" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u4dbf"
        or "\u4e00" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7a3"
        or "\u1100" <= char <= "\u11ff"
        or "\u3131" <= char <= "\u318e"
        or "\uf900" <= char <= "\ufaff"
        or "\uff66" <= char <= "\uff9d"
        or "\U00020000" <= char <= "\U0003ffff"
    )


def is_hangul(char: str) -> bool:
    """True for the syllables of Korean."""
    return "\uac00" <= char <= "\ud7a3"


def is_hiragana(char: str) -> bool:
    return "\u3041" <= char <= "\u309f"


def is_kana(char: str) -> bool:
    """True for Hiragana and Katakana."""
    return "\u3041" <= char <= "\u30ff"


def is_cjk_heavy(text: str) -> bool:
    """True when at least three in ten of the text's letters are Chinese, Japanese or Korean.

    Eight characters of such text say as much as twenty of English (EX-3).
    """
    if text.isascii():
        return False
    letters = sum(char.isalnum() for char in text)
    return sum(map(is_cjk, text)) * 10 >= max(1, letters) * 3
