"""Function words that carry the structure of a statement, by language (TR-3).

Data only: `support` defines what each class means. A word with different meanings in two
languages is listed per language in BY_LANGUAGE; words in HINTS identify the language.
"""

# ruff: noqa: E501, SIM905  Rows of words.
from __future__ import annotations

from wm.domain.learning import common_words

SPLIT, COORD, TURN, FROM, TO, BY, BEFORE, AFTER = range(1, 9)
THAN, PREP, VOICE, SUBJECT, OBJECT, CONTRAST, NOTHING = range(9, 16)
CONDITION = 30
"""A clause border followed by a condition."""
ALL = 17
"""The clause speaks of all or only of something."""
CONDITION_END = 16
"""A clause border after a condition, in languages whose "if" comes last."""
VERB = 31
"""A verb as frequent as "use": all such verbs become this one item."""


def _table(rows: dict[int, str]) -> dict[str, int]:
    return {word: mark for mark, row in rows.items() for word in row.split()}


LATIN = _table(
    {
        TURN: " ".join(w for w in common_words.NEGATIONS if w.isascii() or w < "\u0250")
        + " nobody nothing hardly keines nichts niemand ni nadie nada rien personne nem ninguém"
        " nenhum refuse forbid forbids forbidden disallow dislike dislikes hate hates arent wasnt havent hasnt couldnt"
        " wouldnt non verboten untersagt interdit prohibido proibido unless außer sauf salvo except",
        VERB: "use uses used using need needs prefer prefers want wants require requires"
        " keep keeps kept store stores stored storing save saves saved hold holds held put puts"
        " live lives remain remains stay stays"
        " ausführen ausgeführt ausführt durchführen durchgeführt durchführt lassen lass exprimés"
        " exprimées expresan expresa done add adds added adding hinzugefügt hinzufügen ajouter ajouté añadir añadas añadido adicionar"
        " hacer hagas haz hace hecho faire fait faites fazer faça feito machen macht mache"
        " retain retains retained place placed located found"
        " nehmen nimmt nimm nehmt verwende nutze benutze läuft laufen liegt liegen bleibt bleiben steht stehen gepflegt pflegen"
        " speichern speichert gespeichert tourne tournent reste restent stocke stocké stockés"
        " stockée stockées fica ficam"
        " benutzt benutzen nutzt nutzen verwendet verwenden braucht brauchen"
        " usa usan usar usamos utiliza utilizamos utilizan utilizar necesita necesitan"
        " utilise utilisons utilisez utiliser utilisent usam utilizam precisa precisam",
        SPLIT: "while whereas because until although though where während obwohl weil da"
        " mientras porque aunque parce puisque tandis enquanto embora but aber sondern mais pero"
        " sino mas",
        CONDITION: "if when whenever once wenn falls sobald cuando quand lorsque quando",
        COORD: "and & plus und et",
        CONTRAST: "instead rather statt anstatt anstelle",
        FROM: "from aus ab depuis desde",
        TO: "to into onto toward towards zu zum zur vers hacia para ao aos à às aux",
        BY: "by durch by",
        BEFORE: "before prior vor bevor avant antes",
        AFTER: "after following nachdem après después depois",
        THAN: "than over above gegenüber",
        PREP: "in on at for with as of about per via under within inside outside through during"
        " every each im am beim mit für auf bei unter über pro jeden jeder jede jedes an in dans"
        " sur pour avec chez sous en du des con sobre del em com do dos cada chaque todos todas"
        " of's upon against between zwischen als pelo pela",
        VOICE: "is are was were be been being gets got get ist sind war wird werden wurde wurden"
        " worden est sont été être était es son fue fueron ser sido está están foi foram são é",
        NOTHING: "the an this that these those all any it its we i you they our your my their he"
        " she do does did must should shall will would can could may might have has had then so"
        " always also just only really very please der die das den dem des ein eine einer eines"
        " einem einen wir ich du sie er es man muss müssen soll sollen sollte kann können immer"
        " bitte auch nur dann el la los las un una lo nous vous on il elle le les ce cette leur"
        " toujours doit doivent faut il's siempre también debe deben hay uma um os sempre também"
        " btw fyi hey hi ok okay thanks thx actually well yes yeah übrigens hallo danke ja merci"
        " bonjour oui gracias hola oye obrigado oi darf dürfen dürft mon ma mes minha meu mi"
        " deve devem e's there here which who whose dass que qui sich peut peuvent puede pueden pode"
        " podem posible possible nur seulement seuls seul seules uniquement solo sólo únicamente"
        " apenas somente só",
    }
)  # fmt: skip
MODALS = frozenset(
    "must should shall will would can could may might muss müssen soll sollen sollte kann können"
    " doit doivent debe deben deve devem".split()
)
ARTICLES = frozenset(
    "the a an der die das den dem des ein eine einer eines einem einen el la los las un una le les"
    " une o os um uma l".split()
)
"""Words of NOTHING that end the phrase before them."""
COMPARATIVES = frozenset("mejor mejores más antes melhor mais mieux plutôt plus".split())
"""With one of these "que" compares."""
PREFERRING = ("prefer", "préfér", "prefier", "prefir")
"""Behind such a word "to" compares."""
UNIVERSAL = frozenset(
    "every all each only any jede jeder jedes alle nur chaque tous toutes seulement cada todos todas"
    " solo sólo únicamente apenas somente só seuls seul seules uniquement".split()
)
UNLESS = frozenset(("unless", "außer", "sauf"))
"""They begin a denied condition."""
DENIED_TWICE = frozenset("nunca jamás nada nadie ningún ninguna ni nenhum nenhuma ninguém".split())
"""Behind "no" or "não" these deny nothing anew: "no se modifican nunca"."""
WITHOUT = frozenset(("without", "ohne", "sans", "sin", "sem"))
"""They deny the words behind them, under which the words before them hold."""
BY_LANGUAGE = {
    "en": _table({NOTHING: "a", COORD: "or", PREP: "on"}),
    "de": _table({BY: "von vom", OBJECT: "den einen", TO: "nach", THAN: "als", COORD: "oder", NOTHING: "die"}),
    "fr": _table({PREP: "de d du des", BY: "par", COORD: "ou", CONDITION: "si", SPLIT: "car", NOTHING: "l se s a ont"}),
    "es": _table(
        {TO: "a al", PREP: "de en", BY: "por", COORD: "y e o u", CONDITION: "si"}
        | {VOICE: "se es son fue fueron ser sido está están"}
    ),
    "pt": _table(
        {PREP: "de da das no na nos nas", BY: "por pelo pela pelos pelas", COORD: "e ou", VOICE: "se"}
        | {NOTHING: "a o as os", TO: "ao à para"}
    ),
}  # fmt: skip
AFTER_IF = frozenset("a o as os um uma não houver for estiver".split())
"""Portuguese "se" before one of these means "if", not "oneself"."""
HINTS = {
    "en": "the is are and of to with never not on for must should we our from by a",
    "de": "der die das und ist wird werden nicht nie mit auf für wir im von nach den dem kein keine"
    " ein eine vor immer zum",
    "fr": "le les des est sont et pas ne avec pour dans nous jamais du aux sur une au d l toujours de la vers",
    "es": "el los las y es son con para nunca en del una se al por usa usamos siempre antes no aquí hay proyecto de la a",
    "pt": "o os as é são e não com para em uma do da dos das no na nunca ao pelo pela sempre usamos aqui projeto tem",
}

HAN = (
    (TURN, "不要 不能 不得 不可 禁止 切勿 不再 不会 不是 没有 無 无需 不 没 沒 勿 别 別"),
    (CONTRAST, "而不是 而非 代替 而不用"),
    (SPLIT, "因为 因為 但是 但"),
    (CONDITION, "如果 当 若"),
    (CONDITION_END, "时 的时候 之时 时候"),
    (COORD, "以及 并且 和 与 與 及 或者 或 并"),
    (FROM, "从 從 来自"),
    (TO, "到 给 給 向 往"),
    (BY, "被 由"),
    (THAN, "优先于 比 高于"),
    (VERB, "使用 采用 需要 运行 执行 跑 迁移 切换 换 发送 进入 进"),
    (VOICE, ""),
    (PREP, "在 以 按 用于 每次"),
    (NOTHING, "应该 必须 必須 我们 我們 总是 一律 一直 始终 请 請 的 了 是 为 為 先 还是 仍然 依然 都 要 会 可以 将 把 也 就 里 上"),
)  # fmt: skip
HAN_THEN = ("然后再运行", "然后运行", "再运行", "再执行", "然后跑", "再跑", "然后再", "然后", "再")
HAN_TIMES = ("分钟", "小时", "天", "秒", "周", "年", "月")
HAN_AFTER = ((BEFORE, "之前 以前"), (AFTER, "之后 以后 之後 以後"))
HAN_KEPT = "进程 进度 进制 改进 先进 时间 时区 时长 时序 超时 定时 临时 实时 同时 及时 小时 延时 优先 首先 换行 替换 交换 换算 先前 再次 跑步 级别 特别 区别 分别 类别 到期 到达 由于 不同 以太 以上 以下 上线 上传 上游 里程 要求 要素 比例 或许 目的 将来 给定 是否 并发 并行 及时 与会 用户"

KANA = (
    (TURN, "ないでください ません なければ ないで ない なく せず ずに"),
    (CONTRAST, "ではなく じゃなく でなく"),
    (BY, "によって により"),
    (THAN, "よりも より"),
    (FROM, "から"),
    (TO, "まで へ に"),
    (SUBJECT, "には では は が"),
    (OBJECT, "を"),
    (CONDITION_END, "ならば なら たら ければ れば"),
    (COORD, "と や"),
    (PREP, "で"),
    (VOICE, "されて される されます された れます れる られ"),
)
KANA_JOINED = ((BEFORE, "前に"), (AFTER, "後に"), (TURN, "禁止"))

HANGUL_ENDINGS = (
    (BY, "에의해 에의하여"),
    (FROM, "에서는 에서 부터"),
    (TO, "까지 에게 으로는 으로 로는 로 에는 에"),
    (THAN, "보다"),
    (SUBJECT, "께서 은 는 이 가"),
    (OBJECT, "을 를"),
    (COORD, "와 과 하고 이고 고"),
    (PREP, "의 마다 도"),
)
HANGUL_WORDS = (
    (TURN, "안 못 절대 금지 않 말 마 없"),
    (CONTRAST, "대신 아니라 말고"),
    (BEFORE, "전에 전"),
    (AFTER, "후에 후 다음에"),
    (BY, "의해"),
    (VERB, "사용 씁니다 쓴다 쓰세요"),
    (NOTHING, "꼭 항상 모든 우리 우리는 때 그리고 반드시 수 있다 있어요 있습니다 있음"),
)
HANGUL_SHORT = frozenset("받 쓰 읽 두 놓 넣 빼 끄 켜 막 찾 열 닫 주 내 풀 짓 잡 옮".split())
"""Verbs of one syllable; a noun may end like their form with "and"."""
HANGUL_SURFACES = ("화면", "측면", "장면", "정면", "반면", "표면", "지면", "도면", "전면", "후면")
"""Nouns that end like a condition."""
HANGUL_VERBS = (
    "하십시오 하세요 해주세요 합니다 됩니다 됩니까 입니다 습니다 한다 된다 이다 하지 되지 해야 하고 하기"
    " 하면 해요 되고 되며 하며 이며 주세요 주십시오 예요 이에요 에요 할 한 된 해 다 요 지"
)
"""Verb endings; the stem before them becomes the item."""
