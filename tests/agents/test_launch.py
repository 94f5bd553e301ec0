"""The environment for a program behind the proxy, and what stops a start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wm.agents.launch import configured_upstream, environment, without_comments
from wm.errors import UserError

URL = "http://127.0.0.1:1/t/x/w/y"


def named(program: str, folder: Path, env: dict[str, str] | None = None) -> str:
    return configured_upstream(
        program,
        env or {},
        claude=folder / "home/.claude",
        opencode=folder / "config/opencode",
        folder=folder / "p",
    )


def put(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def opencode(url: str) -> dict[str, object]:
    return {"provider": {"anthropic": {"options": {"baseURL": url}}}}


def test_claude_and_programs_of_the_sdk_get_a_base_url() -> None:
    assert environment("/usr/bin/claude", URL, {}, upstream_host="gateway.example") == {
        "ANTHROPIC_BASE_URL": URL
    }


def test_claude_keeps_its_features_if_the_upstream_is_the_provider() -> None:
    name = "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL"
    assert environment("claude", URL, {}, upstream_host="api.anthropic.com")[name] == "1"
    assert name not in environment("claude", URL, {name: "0"}, upstream_host="api.anthropic.com")
    assert name not in environment("claude", URL, {}, upstream_host="notanthropic.com")


def test_opencode_gets_its_url_in_the_config_merged_last() -> None:
    before = {
        "model": "m",
        "provider": {"anthropic": {"options": {"apiKey": "k", "baseURL": "https://old/v1"}}},
    }
    env = {"OPENCODE_CONFIG_CONTENT": json.dumps(before)}
    found = json.loads(
        environment("opencode", URL, env, upstream_host="h")["OPENCODE_CONFIG_CONTENT"]
    )
    assert found == {
        "model": "m",
        "provider": {"anthropic": {"options": {"apiKey": "k", "baseURL": f"{URL}/v1"}}},
    }


@pytest.mark.parametrize("text", ["[]", "{", '{"provider": 1}', '{"provider": {"anthropic": 1}}'])
def test_an_unreadable_configuration_in_the_environment_is_reported(text: str) -> None:
    with pytest.raises(UserError, match="OPENCODE_CONFIG_CONTENT cannot be read"):
        environment("opencode", URL, {"OPENCODE_CONFIG_CONTENT": text}, upstream_host="h")


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, None),
        ({"NO_PROXY": "a"}, None),
        ({"HTTPS_PROXY": "http://p"}, "127.0.0.1,localhost"),
        ({"http_proxy": "http://p", "NO_PROXY": "a,localhost"}, "a,localhost,127.0.0.1"),
        ({"all_proxy": "http://p", "no_proxy": "b", "NO_PROXY": "a"}, "b,127.0.0.1,localhost"),
        ({"HTTPS_PROXY": "http://p", "NO_PROXY": "*"}, "*"),
    ],
)
@pytest.mark.parametrize("program", ["claude", "opencode"])
def test_the_forward_proxy_is_not_used_for_our_proxy(
    program: str, env: dict[str, str], expected: str | None
) -> None:
    found = environment(program, URL, env, upstream_host="h")
    assert (found.get("NO_PROXY"), found.get("no_proxy")) == (expected, expected)


def test_the_upstream_of_the_environment_is_used(tmp_path: Path) -> None:
    env = {"ANTHROPIC_BASE_URL": "https://gateway.example"}
    assert named("claude", tmp_path, env) == "https://gateway.example"
    assert named("anything", tmp_path, env) == "https://gateway.example"
    assert named("claude", tmp_path) == ""


@pytest.mark.parametrize(
    "file",
    ["home/.claude/settings.json", "p/.claude/settings.json", "p/.claude/settings.local.json"],
)
def test_settings_that_override_the_environment_are_an_error(tmp_path: Path, file: str) -> None:
    path = put(tmp_path / file, {"env": {"ANTHROPIC_BASE_URL": "https://gateway.example"}})
    with pytest.raises(UserError) as caught:
        named("claude", tmp_path)
    assert str(path) in caught.value.message
    assert "proxy.upstream" in caught.value.fix


def test_the_last_file_that_opencode_merges_names_its_upstream(tmp_path: Path) -> None:
    assert named("opencode", tmp_path) == ""
    put(tmp_path / "config/opencode/opencode.json", opencode("https://one/v1/"))
    assert named("opencode", tmp_path) == "https://one"
    extra = put(tmp_path / "extra.json", opencode("https://two/v1"))
    env = {"OPENCODE_CONFIG": str(extra)}
    assert named("opencode", tmp_path, env) == "https://two"
    put(tmp_path / "opencode.jsonc", "{ // above\n" + json.dumps(opencode("https://three"))[1:])
    assert named("opencode", tmp_path, env) == "https://three"
    put(tmp_path / "p/opencode.json", opencode("https://four"))
    assert named("opencode", tmp_path, env) == "https://four"
    env["OPENCODE_CONFIG_CONTENT"] = json.dumps(opencode("https://five"))
    assert named("opencode", tmp_path, env) == "https://five"


def test_a_base_url_from_a_variable_must_be_named(tmp_path: Path) -> None:
    put(tmp_path / "p/opencode.json", opencode("{env:GATEWAY}"))
    with pytest.raises(UserError, match="from a variable"):
        named("opencode", tmp_path)


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = put(tmp_path / "p/opencode.json", "{ nonsense")
    with pytest.raises(UserError, match="may name another upstream") as caught:
        named("opencode", tmp_path)
    assert str(path) in caught.value.message


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "it is not an object"),
        ('{"provider": 7}', "its provider is not an object"),
        ('{"provider": {"anthropic": null}}', "its anthropic is not an object"),
        ('{"provider": {"anthropic": {"options": "x"}}}', "its options are not an object"),
        ("[" * 100_000, "it is nested too deeply"),
    ],
)
def test_a_configuration_that_cannot_be_extended_is_reported(text: str, why: str) -> None:
    given = {"OPENCODE_CONFIG_CONTENT": text}
    with pytest.raises(UserError, match=f"OPENCODE_CONFIG_CONTENT cannot be read: .*{why}"):
        environment("opencode", "http://127.0.0.1:1/t/x", given, upstream_host="h")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('{"a": "b // c", /* x */ "d": 1,}', {"a": "b // c", "d": 1}),
        ('{"a": "/* \\" */", // end', None),
        ("[1, 2, /* , */ ]", [1, 2]),
        ("// only\n{}", {}),
        ('{"u": "http://h/p"}', {"u": "http://h/p"}),
        ("/* never closed {}", None),
    ],
)
def test_comments_and_trailing_commas_are_removed(text: str, plain: object) -> None:
    if plain is None:
        with pytest.raises(json.JSONDecodeError):
            json.loads(without_comments(text))
    else:
        assert json.loads(without_comments(text)) == plain
