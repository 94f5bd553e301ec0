"""Find secrets by their position (TR-1): headers, commands, URLs, files of known shape.

Authorization and Cookie headers, credentials in URLs and connection strings, password options
of commands, seed phrases, Kubernetes secrets. Each match reads a bounded window, so the complete
scan is linear (TR-5).
"""

# ruff: noqa: E501  Rows of a table.
from __future__ import annotations

import base64
from collections.abc import Collection, Iterator
from typing import NamedTuple

from wm.secrets import looks
from wm.secrets.formats import TABLES, UUID
from wm.secrets.labels import KEY_HINT, PASSWORD, SECRET, TOKEN, turns
from wm.secrets.values import (
    BEHIND,
    PLAIN_WORDS,
    fits_strictly,
    is_reference,
    is_sentence,
    names_place,
    span_of,
)
from wm.text.patterns import Lazy, Pattern, escaped, words


def placed(text: str, hints: Collection[str]) -> Iterator[looks.SecretSpan]:
    """Every value whose position marks it as a secret. Spans may overlap; the caller merges them.

    hints: the hints of `HINTS` that occur in the text.
    """
    if _URL_HINT in hints:
        yield from _in_urls(text)
    for command in (text, _spaced(text)) if _LISTED in hints else (text,):
        for row in _LINES:
            if row.hint in hints:
                yield from _groups(command, row)
    if _COOKIE_HINT in hints:
        yield from _cookies(text)
    if _CLUSTER_HINT in hints:
        yield from _members(text, _DATA_BEGIN)
    if KEY_HINT in hints:
        table = _CELL.sub(_as_row, text) if "</t" in text else text
        if "\n" in table:
            yield from _tables(table)
            yield from _members(text, _PLURAL_BEGIN)
    if _INSERT_HINT in hints:
        yield from _inserts(text)
    if _NEAR in hints:
        yield from _near(text)


_LISTED = r"[\"'],[ \n]{0,12}[\"']-"
_BETWEEN = Lazy(r"[\"'],\s{0,12}[\"']")


def _spaced(text: str) -> str:
    """A list of arguments as a command line, with the same offsets: `"-u", "dana"`."""
    return _BETWEEN.sub(lambda found: " " * len(found.group()), text)


class _Row(NamedTuple):
    """mode: what the value must look like (`_fits`). hint: a pattern that occurs in every match;
    `pattern` is not tried in a text without it."""

    mode: str
    hint: str
    pattern: Lazy


_LOGIN = (
    r"(?:\b(?:log[- ]?in(?: (?:with|as|using|mit|als|avec|con|com))?|credentials?|creds|basic[- ]auth|accounts?|sign-?in|zugangsdaten|zugang|anmeldung|acceso|wi-?fi|wlan|"
    r"credenciales|identifiants?|acc[eè]s|acesso|accesso|credenciais|credenziali|anmeldedaten|inlog(?:gegevens)?|inloggning(?:en)?|logowani[ae])\b|"
    r"логин|вход|tài khoản|đăng nhập|giriş)"
)
_IS = r"(?:\s?[:=]|\s(?:are|is|ist|sind|lautet|est|es|son|é|è|to|är|là|zijn|—|–))\s{1,2}"
"""Between a login and what it is."""
_WORD = rf"(?:{PASSWORD})s?"

_SAYS_PATH = r"(?i)/(?:pass|pwd|pin|token|kennwort|contrase|mot de|senha)[^/\s]{0,8}/"
_SAYS_LOGIN = f"(?i){_LOGIN}"
_NAMES = rf"(?:[^\W_]+[ _-]){{0,3}}(?:{PASSWORD}|{SECRET}|{TOKEN}|pass|pw|pin)s?"
_SAYS_KEY = r"(?i)(?:api-?key|token|secret|access-?key|auth-?key|signature)[\"'`]?\s?[:=,]"
_SAYS_PARAMETER = r"(?i)[?&;](?:key|sig|signature|code|auth|sid|session|sessionid|jwt|app_?id|app_?key|apikey|hmac|ticket)="
_USER_OPTION = r"[\s\"'](?:-u|-U|-l|--user|--username|/u:|/user:|/ru)"
_STORED_AS = (
    r"\badd_user|\bchange_password|\buseradd|\bcommunity(?: string)?|(?:\bsecret set|put-parameter)\b[^\n]*--value|\bunlock|\bunlock-keychain|\bwpa_passphrase|http-basic\.\S+|"
    r"\bset --secret|\bauth-pass|\b[A-Za-z]{0,6}\d{0,6} (?:LOGIN|login)|\bsecurity import|\bencrypt_string|\bmkpasswd|\brclone obscure"
)
_FILLS_IN = r"(?i)\.(?:fill|type|send_?keys|set_?value|enter_?text)\("
_SIGNS_IN = r"(?i:\bpdo(?:->__construct)?|\bmysqli|sequelize|compare|login|logon|connect|connection|credentials?|auth(?:enticate)?|hmac|sign|encode|\w{0,12}(?:en|de)crypt|pw_set|superuser|(?:create|add|set)_?user)(?:\s?=?\s?\(|\s\B)"
_SAYS_PAIR = r"(?i)\b(?:basic_?auth|auth|user_?info|user_?pass|logged in as)\b"
_KEYED_BY = r"(?i:\bhmac\.new|\b(?:bcrypt|argon2|scrypt)\w{0,8}\.\w{1,16}|\b(?:aes|des3?|arc4|blowfish|chacha20\w{0,9})\.new|\baesgcm|\bsecretbox|\bcookieparser|\bfernet|\bset_?secret|passw(?:or)?d(?:\w{1,20}\.\w{1,20})?)"
_FROM_INPUT = r"sudo\s+-\w*S|chpasswd|passwd|-stdin\b|cryptsetup|kinit|--passphrase-fd|ssh-add|-S\s+\w|pinentry|\bsu -|\bsecrets? (?:create|set|put|versions add)\b"
"""Commands that read a password from their input."""
_SAYS_USER = r"(?i)\b(?:u|usr|user(?:name)?|login|benutzer|usuario|utilisateur|utente|логин):?[ \t]"
_SHOWS = (
    r"\b(?:go)?pass show |\$ (?:go)?pass [\w-]+/|\bop read |\bvault (?:kv )?(?:get|read) |\bsecrets? (?:versions access|get|show) |"
    r"\bget-secret-value\b|\bget secrets? |\bfind-(?:generic|internet)-password |\b(?:bw|lpass) (?:get|show) |"
    r"\bsecret-tool lookup |\bkeyring get |\bconfig:get |\bchamber read |\bpwgen "
)
"""Commands that print a secret, on a line below them."""
_ORACLE = r"(?:jdbc:oracle:\w{2,6}:|\b(?:sqlplus|imp|exp|expdp|impdp|rman target)\s)"
_RESETS = r"(?i)\b(?:reset|generate|rotate|create|regenerate|renew)[-_ ](?:\w{1,20}[-_ ])?(?:password|passwd|secret|token|key|credentials?)\b"
_EVALUATES = (
    r"^(?:(?:\([a-z]{2,5}\)|[a-z]{1,12}(?:\([\w:]{1,20}\):\d+(?::\d+)?)?>|>>>|In \[\d+\]:) [^\n]*|"
    r"> \S*|\d+\) \"[^\"\n]*)"
)
"""The prompt of a debugger or an interpreter, whose answer is on the next line; or an item of a list."""
_PROMPTS = r"(?i)(?:assword|passphrase|passwort|de passe|contrase|enha|пароль)[^'\"\n]{0,20}['\"][^'\"\n]{1,80}['\"]:"
"""Hints that several rows share, or that are long."""


def _option_rows() -> Iterator[_Row]:
    """Rows for commands whose option takes a password, joined (`-pX`) or apart."""
    for mode, options, commands in TABLES.rows("password_options", columns=3):
        command = "|".join(
            escaped(word).replace(r"\+", r"\b[^\n|]*?\s") for word in commands.split()
        )
        option = "|".join(escaped(word) for word in options.split(","))
        pattern = rf"\b(?:{command})\b[^\n|]*?\s(?:{option})[ =:]{{0,4}}['\"]?([^\s'\"$<{{(:-][^\s'\"]{{3,}})"
        yield _Row(mode, rf"\b(?:{command})\b", Lazy(pattern))


# --- lines ---------------------------------------------------------------------------------------

_LINES: tuple[_Row, ...] = (
    # Authorization: Basic …, Bearer …, Token …, or the bare value; other headers
    _Row("token", r"(?i)authorization", Lazy(r"(?:proxy-)?authorization[\"'`]?\s?[:=,]\s?[\"'`]?(?:(?:basic|bearer|token|apikey|api-key|key|digest|negotiate|ntlm|ssws|genie_?key|splunk|bot|oauth)\s+)?(?:username=\"[^\"]{0,60}\", ?)?([0-9A-Za-z_.~+/=:%-]{8,})", ignore_case=True)),
    _Row("basic", r"(?i)basic", Lazy(r"\bbasic\s{1,3}([0-9A-Za-z+/]{6,}={0,2})", ignore_case=True)),
    _Row("token", _SAYS_KEY, Lazy(r"\b(?:x-)?(?:[a-z0-9]{1,20}-){0,4}(?:api-?key|token|secret|access-?key|auth-?key|signature)[\"'`]?\s?[:=,]\s?[\"'`]?([0-9A-Za-z_.~+/=-]{12,})", ignore_case=True)),
    # command options
    *_option_rows(),
    _Row("any", r"sshpass", Lazy(r"\bsshpass\s+-p\s?['\"]?([^\s'\"]{3,})")),
    _Row("any", r"mysql|mariadb", Lazy(r"\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|]*?\s-p['\"]?([^\s'\"-][^\s'\"]{2,})")),
    _Row("any", r"(?i)securestring", Lazy(r"ConvertTo-SecureString(?:\s+-(?:AsPlainText|Force|String))*\s+['\"]?([^\s'\"$()-][^\s'\"]{2,})", ignore_case=True)),
    _Row("mixed", _SAYS_PATH, Lazy(rf"/(?:{_WORD}|token|pin|pwd)/([^\s/'\"?&$<{{:*`][^\s/'\"?&`]{{5,}})", ignore_case=True)),
    _Row("any", r"[\s\"'](?:-u|--user|-a|--auth|--proxy-user)", Lazy(r"\b(?:curl|wget|http|https|xh)\b[^\n|]*?\s(?:-u|--user|-a|--auth|--proxy-user)[ =]{0,6}['\"]?[^\s:'\"/]*:['\"]?([^\s'\"$<{@][^\s'\"]{2,})")),
    _Row("any", r"-pass", Lazy(r"-pass(?:in|out)?\s+pass:([^\s'\"$<{]{3,})")),
    _Row("any", r"htpasswd", Lazy(r"\bhtpasswd\s+-\w*b\w*\s+\S{1,}\s+\S{1,60}\s+['\"]?([^\s'\"$<{][^\s'\"]{3,})")),
    _Row("any", _FROM_INPUT, Lazy(rf"\b(?:echo\s+(?:-n\s+)?|printf\s+(?:['\"]?%s(?:\\n)*['\"]?\s+)?)['\"]?(?:\w+:)?([^\s'\"|$<{{%][^\s'\"|]{{3,}}?)(?:\\n)?['\"]?\s?\|\s?[^\n|]{{0,120}}?(?:{_FROM_INPUT})")),
    _Row("strict", _USER_OPTION, Lazy(rf"{_USER_OPTION}[ =]{{0,4}}['\"]?[^\s'\"]{{1,60}}\s{{1,4}}(?:[^\n|;&]{{0,60}}\s)?(?:-[pPwAXN]|/(?:p|pass|rp):?)\s{{0,4}}['\"]?([^\s'\"$<{{(-][^\s'\"]{{3,}})")),
    _Row("strict", r"\s-u\s?['\"]?[\w.@-]+,", Lazy(r"\s-u\s?['\"]?[\w.@-]{1,60},([^\s'\"$<{,]{4,})")),
    _Row("strict", r"(?i)(?:secret|password|key) [0-9] ", Lazy(r"\b(?:secret|password|key) [0-9] ([^\s'\"]{4,})", ignore_case=True)),
    _Row("strict", r"[\w.-]+:[^\s:@/]{6,}@[\w.-]+", Lazy(r"(?:^|[\s'\"(=/\\])[A-Za-z_][\w.-]{0,40}:([^\s:@/'\"]{6,80})@[\w.-]{2,}", multi_line=True)),
    _Row("strict", r"<<<|<\((?:echo|printf)", Lazy(r"(?i:pass|secret|auth|login|kinit|key|token|vault|unlock|luks|crypt|\bsu\b)[^\n]*(?:<<<|<\((?:echo|printf)(?: -n)? )\s?['\"]?([^\s'\"$<)]{6,})")),
    _Row("strict", _STORED_AS, Lazy(rf"(?:{_STORED_AS})(?:\s+['\"]?[\w./@-]+['\"]?){{0,2}}(?:\s-[pP])?\s+['\"]?([^\s'\"$<{{-][^\s'\"]{{4,}})")),
    _Row("strict", _FILLS_IN, Lazy(rf"(?:pass|pwd?\b|secret|token|pin)[^\n]{{0,60}}{_FILLS_IN[4:]}\s?['\"]([^'\"\n]{{6,80}})['\"]", ignore_case=True)),
    _Row("strict", _SIGNS_IN, Lazy(rf"{_SIGNS_IN}[\s(]?(?:\$?[\w.]{{1,40}}|\{{[^{{}}\n]{{0,80}}\}}|b?['\"][^'\"\n]{{1,80}}['\"])\s?,\s?(?:['\"][^'\"\n]{{1,60}}['\"]\s?,\s?)?b?['\"]([^'\"\n]{{6,80}})['\"]")),
    _Row("any", r"(?i)identified by|with password|password for ", Lazy(r"(?:identified by|with password|password for [\w.@-]{1,60} to)\s{1,3}['\"]([^'\"\n]{3,})['\"]", ignore_case=True)),
    _Row("strict", r"(?i)identified by", Lazy(r"identified by\s{1,3}([^\s'\";]{6,})", ignore_case=True)),
    _Row("any", r"[\s\"'](?:-U|--user=)[\s\"',]{0,6}\S+%", Lazy(r"\b(?:smbclient|rpcclient|net|wmic|winexe|smbget)\b[^\n|]*?\s(?:-U|--user=)\s{0,6}['\"]?[^\s%'\"]{1,60}%([^\s'\"$<{]{4,})")),
    _Row("strict", r"(?i)net user", Lazy(r"\bnet user\s+[^\s/]{1,60}\s+([^\s/]{4,})", ignore_case=True)),
    _Row("any", r"(?i)net use", Lazy(r"\bnet use\b[^\n]*?/user:\S{1,60}\s+([^\s/]{4,})", ignore_case=True)),
    _Row("strict", _SHOWS, Lazy(rf"^[^\n]*(?:{_SHOWS})[^\n]*\n([^\s]{{6,200}})$", multi_line=True)),
    _Row("strict", _RESETS, Lazy(rf"{_RESETS}[^\n]*\n(?:[^\n]{{0,80}}\n)?(?:new|generated) (?:value|password|secret|token|key):\s{{1,4}}([^\s'\"]{{6,}})$", multi_line=True)),
    _Row("strict", f"(?im){_EVALUATES}", Lazy(rf"{_EVALUATES}(?:{PASSWORD}|{SECRET}|{TOKEN}|pw)[\"')\]]{{0,3}}\n(?:[^\n'\"]{{0,40}}(?:[=:>]|\d\)|0x\w+)\s)?['\"]?([^\s'\"]{{6,120}})['\"]?$", ignore_case=True, multi_line=True)),
    _Row("strict", _PROMPTS, Lazy(rf"{_PROMPTS}\s{{1,3}}([^\s'\"]{{4,}})$", multi_line=True)),
    _Row("strict", _KEYED_BY, Lazy(rf"{_KEYED_BY}\(\s?b?['\"]([^'\"\n]{{6,80}})['\"]")),
    _Row("any", r"--(?:src-|dest-)?creds", Lazy(r"--(?:src-|dest-)?creds[ =][\w.@-]{1,60}:([^\s'\"$<{]{4,})")),
    _Row("any", r"\]:\d+\s", Lazy(r"^[^\n]*\]:\d{2,5}\s{1,8}[\w.@-]{1,60}:([^\s:]{4,})$", multi_line=True)),
    _Row("any", r"assword[^\n]*send", Lazy(r"assword[^\n]{0,40}\bsend(?:line)?\b[^'\"\n]{0,6}['\"]([^'\"\\\n]{4,})")),
    _Row("strict", _SAYS_PAIR, Lazy(rf"{_SAYS_PAIR}(?:\s{{0,2}}[:=]?\s{{0,2}}['\"]?|[^\n'\"]{{0,60}}['\"])[A-Za-z][\w.@+-]{{1,40}}:([^\s'\"/:@]{{6,}})")),
    _Row("strict", r"(?i)tacacs|radius|isakmp", Lazy(r"(?:tacacs|radius|isakmp)[\w+-]* (?:\S{1,40} ){0,3}key (?:\d )?([^\s'\"]{6,})", ignore_case=True)),
    _Row("strict", r"@\S+ [/:] ", Lazy(r"[\w.+-]@[\w-]{1,60}\.[\w.-]{1,60} [/:] ([^\s'\"]{6,})")),
    _Row("typed", r"(?:admin|root) ?[/:]", Lazy(r"(?:^|[\s\"'(])(?:admin|root)(?: / | ?: ?)([^\s'\"/:]{6,})", multi_line=True)),
    _Row("any", "::add-mask::", Lazy(r"::add-mask::([^\s$]{4,})")),
    _Row("any", "WIFI:", Lazy(r"\bWIFI:(?:[^\n:]{1,4}:[^\n;]{0,60};){0,4}P:([^\s;]{4,})")),
    _Row("any", r"(?i)acl setuser", Lazy(r"\bacl setuser [^\n]{1,60}\s>([^\s$]{4,})", ignore_case=True)),
    _Row("any", r"\t(?:TRUE|FALSE)\t", Lazy(r"\t(?:TRUE|FALSE)\t\d{1,12}\t\S{1,60}\t(\S{8,})")),
    _Row("any", r"(?i)secret[ _-]?id", Lazy(rf"\bsecret[ _-]?id[\"']?\s{{0,20}}[:=]?\s{{0,20}}[\"']?({UUID})", ignore_case=True)),
    _Row("any", r"\d is your ", Lazy(r"\b([0-9]{4,8}) is your (?:[\w-]{2,20} ){0,3}(?:code|pin|otp|passcode|password)\b", ignore_case=True)),
    _Row("strict", r"\boption key |wireless\.", Lazy(r"(?:\boption |wireless\.\S{1,40}\.)key[ =]['\"]([^\n'\"]{8,})")),
    # sentences with the value before the label, or with a user and a password
    _Row("strict", _SAYS_LOGIN, Lazy(rf"{_LOGIN}[^\n:=/]{{0,30}}?(?:[:=]|\b(?:are|is|with|as|mit|als|con|com|avec|met)\b|\s)\s{{0,2}}[\w.@+-]{{2,40}}\s(?:[/|]|with|using|mit|con|com|avec|met)\s['\"]?([^\s'\"]{{6,}})", ignore_case=True)),
    _Row("strict", _SAYS_LOGIN, Lazy(rf"{_LOGIN}[^\n:=/\"']{{0,30}}?{_IS}(?:[\w.@+-]{{2,40}}\s(?:[/|]|and|und|et|y|e|en|i|и|och|và)\s)?['\"]?([^\s'\"/:@.,;]{{6,}})['\"]?[.,;!?]?(?:\s|$)", ignore_case=True)),
    _Row("strict", _SAYS_LOGIN, Lazy(rf"{_LOGIN}[^\n:=/]{{0,30}}(?:[:=]|\bare\b|\bis\b)\s{{0,2}}[\w.@+-]{{2,40}}/([^\s'\"/]{{5,}}[!#$%^*?])", ignore_case=True)),
    _Row("strict", _SAYS_LOGIN, Lazy(rf"{_LOGIN}(?:=|[:=]?\s{{1,2}})[\w.@+-]{{2,40}}:([^\s'\"/:@]{{6,}})", ignore_case=True)),
    _Row("strict", r"[|│]", Lazy(rf"(?:^|[|│])[*_` ]*{_NAMES}[*_` ]*[|│][*_` ]*([^\s'\"`|│]{{6,}}?)[*_` ]*(?:[|│]|$)", ignore_case=True, multi_line=True)),
    _Row("any", r"form-data|&quot;|%22", Lazy(rf"(?:name=\\?\"|&quot;|%22)[\w.-]{{0,40}}(?:{PASSWORD}|{SECRET}|{TOKEN})(?:\\?\"\s{{2,4}}|(?:&quot;|%22)(?::|=|%3A)(?: |%20)?(?:&quot;|%22))([^\s\"]{{4,}}?)(?:&quot;|%22|$)", ignore_case=True, multi_line=True)),
    _Row("strict", KEY_HINT, Lazy(rf"{_WORD}'s\s{{1,4}}`?([^\s'\"`|]{{6,}})", ignore_case=True)),
    _Row("strict", _SAYS_USER, Lazy(rf"{_SAYS_USER}[\w.@+-]{{2,40}}(?:[ \t]?[,;/][ \t]?|[ \t])(?:and|und|y|et|e|и|p|pw|pwd)\b[ \t]?[:=]?[ \t]?['\"]?([^\s'\"-][^\s'\"]{{5,}})")),
    _Row("strict", r"(?i)(?: / |\buse )\S{6,} (?:to|zum|para|pour) ", Lazy(r"(?:[\w.@+-]{2,40} / |\buse )([^\s'\"]{6,}) (?:to|zum|para|pour) (?:log|sign|unlock|decrypt|auth|ein|an|acc|ent|con|se con)", ignore_case=True)),
    _Row("strict", r"账号|帐号|帳號|账户|登录|登入|アカウント|ログイン|계정|로그인", Lazy(r"(?:账号|帐号|帳號|账户|登录|登入|アカウント|ログイン|계정|로그인)[^\n:：=/]{0,12}[:：=是は은는]\s{0,2}[\w.@+-]{2,40}\s{0,2}[/|,，、]\s{0,2}([^\s，。、]{6,})")),
    _Row("strict", r"(?i)\s(?:as|is|als|como|comme)\s", Lazy(r"([^\s'\"]{6,})['\"]?\s(?:as|is|als|como|comme)\s(?:the\s|our\s|my\s|your\s|a\s|la\s|le\s|das\s)?(?:\w{2,12}\s){0,2}?(?:password|passphrase|passcode|passwort|kennwort|contrase[ñn]a|mot de passe|senha|secret|(?:api|access|secret) key|token)\b", ignore_case=True)),
    _Row("token", r"(?i)bearer|basic", Lazy(r"\b(?:bearer|basic)\s{1,3}([0-9A-Za-z_.~+/=-]{16,})", ignore_case=True)),
    _Row("last", KEY_HINT, Lazy(rf"{_WORD}[^\n=(){{}}<>'\"`]{{0,80}}(?:\s|:\s{{2,3}})['\"`]?([^\s'\"`]{{6,}}?)['\"`]?$", ignore_case=True, multi_line=True)),
    _Row("strict", r"(?i)clave", Lazy(r"\bclave(?:\s(?:de|del|para)\s(?:la\s|el\s)?\w{2,20})?(?:\s?[:=]|\s?es\b)?\s?['\"]?([^\s'\"]{6,})", ignore_case=True)),
    # files with fixed columns, connection strings
    _Row("digit", r":(?:\d{4,5}|\*):", Lazy(r"^[\w-]*[\w*.-]*\.?[\w*.-]+:(?:\d{4,5}|\*):[A-Za-z_*][\w*-]{0,60}:[A-Za-z_*][\w*.@-]{0,60}:([^\s:]{6,})$", multi_line=True)),
    _Row("any", _ORACLE, Lazy(rf"{_ORACLE}\s*[\w$#]{{1,60}}/([^\s/'\"]{{3,}})@")),
    _Row("strict", r"/[^\s/'\"]+@//", Lazy(r"[\w$#]{1,60}/([^\s/'\"]{6,})@//")),
    # phrases, URL parameters, single fields of known files
    _Row("phrase", r"(?i)seed|recovery|mnemonic|backup|wallet|助记词|助記詞|シードフレーズ|니모닉", Lazy(r"(?:(?:seed|recovery|mnemonic|backup|wallet)\s?(?:phrase|words|mnemonic)?[^\n:=]{0,60}?|(?:助记词|助記詞|シードフレーズ|니모닉)[^\n:：=]{0,20})[:：=]\s{0,3}[\"']?((?:[a-z]{3,8}[ ,]{1,2}){11,24}[a-z]{3,8})\b", ignore_case=True)),
    _Row("token", _SAYS_PARAMETER, Lazy(r"[?&;](?:key|sig|signature|code|auth|sid|session|sessionid|jwt|app_?id|app_?key|apikey|hmac|ticket)=([0-9A-Za-z_.~%+/-]{12,})", ignore_case=True)),
    _Row("words", KEY_HINT, Lazy(rf"(?:{PASSWORD})[^\n:=\"'.]{{0,40}}?{_IS}[\"']?((?:[a-z]{{3,12}} ){{3,7}}[a-z]{{3,12}})[\"']?[.!]?$", ignore_case=True, multi_line=True)),
)  # fmt: skip


def _groups(text: str, row: _Row) -> Iterator[looks.SecretSpan]:
    for match in row.pattern.finditer(text):
        value = match.group(1).rstrip(".,;")
        start = match.start(1)
        if len(value) < 3 or looks.is_placeholder(value) or value.lower() in PLAIN_WORDS:
            continue
        if is_reference(value, False, text[start : start + len(value) + 2]):
            continue
        if _fits(row.mode, value):
            yield span_of(start, value)


def _fits(mode: str, value: str) -> bool:
    """Return whether a value has the look that its row requires.

    any, phrase: every value. digit, strict: no plain word. last: nor one before a colon or a bracket, as in code. typed: words and a number. mixed: nor an id in lower case. token: no name. basic: base64 of a user
    and a password. words: a pass phrase of plain words, not a sentence about passwords.
    """
    if mode in ("any", "phrase"):
        return True
    if mode == "basic":
        return _is_user_and_password(value)
    if mode == "typed":
        return is_typed(value)
    if mode == "words":
        return not is_sentence(value)
    if mode in ("digit", "strict", "last"):
        open_ended = mode == "last" and value[-1] in "):]>" and not looks.is_scrambled(value)
        return not open_ended and fits_strictly(value, "password")
    if mode == "mixed":
        cases = value != value.lower() and value != value.upper()
        marked = any(char in _MARKS for char in value)
        return fits_strictly(value, "password") and (cases or marked or len(value) >= 24)
    if any(c.isdigit() for c in value):
        return looks.looks_random(value) or not looks.is_wordy(value)
    return not looks.is_wordy(value) and not value.islower()


def _is_user_and_password(value: str) -> bool:
    """True for the base64 of `user:password` in HTTP; base64 can look like joined names."""
    try:
        user, colon, password = base64.b64decode(value, validate=True).partition(b":")
    except ValueError:
        return False
    return bool(user and colon and password) and (user + password).isascii()


# --- URLs ----------------------------------------------------------------------------------------

_URL_HINT = r"://[^ \n\t\"'`<>]*@"
_URL_BODY = Lazy(r"[^\s/\"'`<>\\?#]*")


def _in_urls(text: str) -> Iterator[looks.SecretSpan]:
    """`scheme://user:secret@host`, `scheme://:secret@host`, `scheme://token@host`."""
    at = text.find("://")
    while at >= 0:
        start = at + 3
        window = text[start : start + BEHIND]
        stop = _URL_BODY.end(window)
        authority = window[:stop]
        sign = authority.rfind("@")
        beyond = window[stop : stop + 1]
        if beyond == "#" or (sign < 0 and beyond in ("/", "?")):
            authority, sign = _odd_authority(window, stop)
        if sign > 0:
            yield from _user_info(authority[:sign], start)
        at = text.find("://", start)


def _odd_authority(window: str, stop: int) -> tuple[str, int]:
    """An authority whose password contains an unescaped slash, question mark or hash. stop: where
    a proper authority would end; digits between the colon and it are a port."""
    run = window[: max(0, _NO_SPACE.end(window[:160]))]
    first = run.find("@")
    slash = run.find("/", first)
    colon, sign = run.find(":", 0, stop), run.rfind("@", 0, slash if slash >= 0 else len(run))
    odd = 0 <= colon < first and run[0] != "[" and not run[colon + 1 : stop].isdigit()
    return (run, sign) if odd else (run[:stop], run.rfind("@", 0, stop))


_NO_SPACE = Lazy(r"[^ \n\t\"'`<>]*")


def _user_info(info: str, start: int) -> Iterator[looks.SecretSpan]:
    user, colon, secret = info.partition(":")
    if not colon:
        if looks.looks_random(user) or (len(user) >= 32 and not looks.is_wordy(user)):
            yield span_of(start, user)
        return
    if (
        len(secret) < 2
        or looks.is_placeholder(secret)
        or (secret[0] not in "!#" and names_place(secret))
    ):
        return
    if secret.lower() not in ("password", "pass", "pwd", "secret", "passwd", "pw", "token"):
        yield span_of(start + len(user) + 1, secret)
        if len(user) >= 32 and not looks.is_wordy(user):
            yield span_of(start, user)


# --- cookies and Kubernetes ----------------------------------------------------------------------

_COOKIE_HINT = "ookie|COOKIE|curl"
_COOKIE = Lazy(
    r"(?:\b(?:set-)?cookie[\"']?\s?[:=]|\bcurl\b[^\n|]*?\s-(?:b|-cookie)[ =])\s?[\"']?([^\n\"']{8,})",
    ignore_case=True,
)
_COOKIE_NAME = Lazy(
    r"sess|sid|auth|token|jwt|csrf|xsrf|login|remember|secret|key|id$|user", ignore_case=True
)
_ATTRIBUTES = words("path domain expires max-age samesite httponly secure priority")


def _cookies(text: str) -> Iterator[looks.SecretSpan]:
    for match in _COOKIE.finditer(text):
        at = match.start(1)
        for pair in match.group(1).split(";"):
            name, sign, value = pair.partition("=")
            start = at + len(name) + 1
            at += len(pair) + 1
            bare = value.strip()
            if not sign or name.strip().lower() in _ATTRIBUTES or len(bare) < 8:
                continue
            if looks.is_placeholder(bare) or names_place(bare):
                continue
            named = _COOKIE_NAME.search(name) is not None and any(c.isdigit() for c in bare)
            if named or (len(bare) >= 20 and not looks.is_wordy(bare)):
                yield span_of(start + len(value) - len(value.lstrip()), bare)


_CLUSTER_HINT = r"(?m)^\s{0,20}[\"']?kind[\"']?\s?:\s?[\"']?Secret\b"
_DATA_BEGIN = Lazy(r"^(\s{0,20})[\"']?(?:data|stringData)[\"']?\s?:\s?\{?\s{0,4}$", multi_line=True)
_PLURAL_BEGIN = Lazy(
    r"^(?:(\s{0,20})[\"']?(?:passwords|passphrases|secrets|credentials|(?:api|access|auth)_?(?:keys|tokens))[\"']?\s?:\s?\{?|"
    r"[^\n]{0,60}\b(?:credentials|creds|logins?|accounts|zugangsdaten|chpasswd|user(?:name)?s?\s?[:/|]\s?pass\w*)\b[^\n]{0,30}(?:\n\s{0,8}list:[^\n]{0,4})?)\s{0,4}$",
    ignore_case=True,
    multi_line=True,
)
_DATA_LINE = Lazy(
    r"^(\s*)(?:[-*] )?[\"']?[\w.@+-]{1,}[\"']?(\s?:\s{1,4}|:|\s[/|]\s)[\"']?([^\s\"'|>{}][^\"'\n]{3,}?)[\"']?,?\s*$"
)


def _members(text: str, begin: Lazy) -> Iterator[looks.SecretSpan]:
    """The values under `passwords:`, in a list of logins (`dana:…`, `dana / …`), and all under
    `data:` in a text with a Kubernetes Secret."""
    end = 0
    for match in begin.finditer(text):
        at = max(match.end() + 1, end)
        outer = len(match.group(1).strip("\n")) if match.group(1) is not None else MOST_LINE
        while at < len(text):
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            line = _DATA_LINE.match(text[at:stop])
            if line is None:
                break
            indent, sign, value = line.groups()
            if sign.endswith(" ") and sign != " / " and len(indent) <= outer:
                break  # a key beside `passwords:`, not below it
            fits = begin is _DATA_BEGIN or fits_strictly(value, "password")
            if fits and not looks.is_placeholder(value) and not names_place(value):
                yield span_of(at + line.start(3), value)
            at = stop + 1
        end = at


# --- tables --------------------------------------------------------------------------------------

_SEPARATOR = r"[|│\t,;&]|[ ]{2,}"
"""Between two columns of a table."""
_TITLE = Lazy(rf"[*_` \"]*{_NAMES}[*_` \"]*", ignore_case=True)
_HEAD = Lazy(rf"(?im)(?:^|{_SEPARATOR})[*_` \"]*{_NAMES}[*_` \"\\]*(?:$|{_SEPARATOR})")
_RULE = Lazy(r"[-+=:|│─┼├┤ \t]*")


def _tables(text: str) -> Iterator[looks.SecretSpan]:
    """The cells below a title that names a secret, whatever separates the columns: Markdown, SQL,
    CSV, tabs, aligned columns, or a title in a line of its own."""
    end = 0
    for head in _HEAD.finditer(text):
        if head.start() < end:
            continue
        first = text.rfind("\n", 0, head.start()) + 1
        stop = text.find("\n", head.start())
        end = stop if stop >= 0 else len(text)
        titles = _cells(text[first:end], first)
        columns = [n for n, (_at, title) in enumerate(titles) if _TITLE.fits(title)]
        while columns and 0 <= stop < len(text):
            at, stop = stop + 1, text.find("\n", stop + 1)
            stop = stop if stop >= 0 else len(text)
            line = text[at:stop].rstrip("\r")
            if line and _RULE.fits(line):
                continue
            cells = _cells(line, at)
            extra = len(cells) - len(titles)  # A password may contain the sign between the columns.
            if not line or extra < 0:
                break
            end = stop
            for start, (last, part) in ((cells[n][0], cells[n + extra]) for n in columns):
                value = text[start : last + len(part)]
                if fits_strictly(value, "password"):
                    yield span_of(start, value)


_CELL = Lazy(r"(?:</?t(?:[rdh]|head|body|able)\b[^>\n]{0,80}>\s*)+", ignore_case=True)


def _as_row(found: Pattern) -> str:
    """Tags of a table in HTML as a tab or a line end, with the same offsets."""
    tags = found.group()
    return str(("\n" if "tr" in tags.lower() else "\t").rjust(len(tags)))


def _cells(line: str, at: int) -> list[tuple[int, str]]:
    """The cells of a line with their offsets. at: the offset of the line."""
    sign = next((sign for sign in "|│\t,;&" if sign in line), "  ")
    found, first = [], at
    for part in line.split(sign):
        value = part.strip(" \t`*\"'\\")
        if value or sign != "  ":
            found.append((first + part.find(value), value))
        first += len(part) + len(sign)
    return found


_INSERT_HINT = r"(?i)\(([^()\n]{1,300})\)\s{1,4}values\s{0,4}\("
_INSERT = Lazy(rf"{_INSERT_HINT}([^()\n]{{1,600}})\)")


def _inserts(text: str) -> Iterator[looks.SecretSpan]:
    """`INSERT INTO users (name, password) VALUES ('dana', '…')`."""
    for match in _INSERT.finditer(text):
        named, values = match.group(1).split(","), match.group(2).split(",")
        start = match.start(2)
        for title, cell in zip(named, values, strict=False):
            value = cell.strip(" \t\"'")
            if _TITLE.fits(title.strip('`" ')) and fits_strictly(value, "password"):
                yield span_of(start + cell.index(value), value)
            start += len(cell) + 1


# --- lines that speak of secrets ---------------------------------------------------------------

_NEAR = (
    r"(?i:passw|-pass\b|passphrase|passcode|secret|credential|\bcreds\b|login|logon|auth(?:[^o]|ori[sz]|$)|token|api.?key|put-parameter|"
    r"add_user|useradd|unlock|keychain|keyvault|kinit|wpa_|hmac|ssh-keygen|getconnection|mysql_connect|"
    r"alias set|snmp|community|jwt|parol|пароль|парол|密码|口令|パスワード|비밀번호)"
)
_SPEAKS = Lazy(rf"[^\n]*{_NEAR}[^\n]*")
_BARE = Lazy(r"[^\s'\"`<>()\[\]{},;=|\x{80}-\x{10ffff}]{6,}")
_MARKS = frozenset("!#$%^&*?~+")
_NO_PASSWORD = Lazy(
    r"%[0-9A-Fa-f]{2}|^[A-Za-z_]+[+*]\d{1,3}$|^[A-Z]+(?:_[A-Z]+)+\$\d+$|&[a-z]+$|#[a-z]+[A-Z]|[a-z]\?$"
)
"""Encoded, an expression, or a name in code: `pointer+16`, `EVENT_KEY$3`, `Class#method`, `Type?`."""
MOST_LINE = 600
"""Longer lines are data, not a command or a sentence [chars]."""


def _near(text: str) -> Iterator[looks.SecretSpan]:
    """Words that are only written as a password, in a line that speaks of a secret."""
    for line in _SPEAKS.finditer(text):
        if len(line.group()) > MOST_LINE:
            continue
        by_hand = _SAYS_PASSWORD.is_match(line.group())
        for word in _BARE.finditer(line.group()):
            value = word.group().rstrip(".:!?") if word.group()[-1] in ".:" else word.group()
            fits = is_strong(value) or (by_hand and is_typed(value))
            is_call = line.group()[word.end() :].startswith("(")
            if fits and not is_call and not looks.is_placeholder(value):
                yield span_of(line.start() + word.start(), value)
        if by_hand:
            yield from _below(text, line.end() + 1)


def _below(text: str, at: int) -> Iterator[looks.SecretSpan]:
    """Passwords alone in their lines, or behind a user, in the lines after one that speaks of them.
    Not words with a number, which are as often names: branches, images, tables."""
    for line in text[at : at + MOST_LINE].split("\n")[:LINES_BELOW]:
        found = _ALONE.match(line)
        value = found.group(1) if found is not None else ""
        if is_strong(value) and not looks.is_placeholder(value):
            yield span_of(at + found.start(1), value)
        at += len(line) + 1


LINES_BELOW = 5
_ALONE = Lazy(
    r"\s*(?:[-*+|>$]\s?|\d{1,2}[.)]\s)?(?:[\"']?[\w.@+-]{2,60}[\"']?(?:\s?[:/|]\s?|\s=\s))?[\"'`]?([^\s\"'`:/|]{6,64})[\"'`]?[,;|]?\s*$"
)


_SAYS_PASSWORD = Lazy(rf"{PASSWORD}|\bcreds\b|\bpsk\b|\bwi-?fi\b", ignore_case=True)
"""Only what a person types: a server makes tokens, and `token` and `login` are beside names of hosts."""
_TYPED = Lazy(
    r"(?:(?:[A-Za-z]{3,}[-_.]){1,4}[A-Za-z]{3,}\d{2,4}|[A-Z][a-z]{2,}(?:[A-Z]?[a-z]{2,})\d{2,4}|[a-z]{4,}\d{3,4}|"
    r"[A-Za-z]{5,}[_.]\d{3,4})[!?$#*%]?"
)
_TERM_BEHIND = Lazy(
    r"(?:sha|md|aes|rsa|utf|base|u?int|float|crc|http|line|error|status|port|latin|windows|rfc|pkcs|fips|win)-?\d+$",
    ignore_case=True,
)
"""Names of algorithms, types and numbers, which look alike."""


_HEX = Lazy("[0-9a-f]+")
_LABEL = Lazy(rf"\w*(?:{PASSWORD}|{SECRET}|{TOKEN}|pass)\d*", ignore_case=True)


def is_typed(value: str) -> bool:
    """Return whether a word looks like a password that a person made: words and then a number, or
    small letters and digits in turns."""
    if _TERM_BEHIND.is_match(value) or _LABEL.fits(value) or names_place(value):
        return False
    mixed = value.isalnum() and turns(value) >= 4 and not looks.is_wordy(value)
    fits = (mixed and not _HEX.fits(value)) or _TYPED.fits(value)
    return fits and fits_strictly(value, "password")


def is_strong(value: str) -> bool:
    """Return whether a word mixes letters, digits and marks, or cases and digits at random, as only
    passwords do: no name, path, version, address or expression."""
    if not 8 <= len(value) <= 64 or names_place(value) or not fits_strictly(value, "password"):
        return False
    digits, letters = sum(map(str.isdigit, value)), sum(map(str.isalpha, value))
    marks = sum(char in _MARKS for char in value[1:])
    if (
        any(char in value for char in "/\\:@.")
        or _NO_PASSWORD.is_match(value)
        or digits + letters + 4 < len(value)
        or not digits
    ):
        return False
    if marks:
        return letters >= 3 and value[0].isalnum() and "**" not in value
    mixed = value != value.lower() and value != value.upper()
    return mixed and len(value) >= 10 and not looks.is_wordy(value) and looks.looks_mixed(value)


HINTS = (
    _URL_HINT, _LISTED, *(row.hint for row in _LINES if row.hint != KEY_HINT), _COOKIE_HINT, _CLUSTER_HINT, _INSERT_HINT,
    _NEAR,
)  # fmt: skip
"""Patterns that the caller looks for in a text before it calls `placed`; `KEY_HINT` besides."""
