"""Guess the type of an explicit memory from its wording (EX-1). The user can change it.

A wrong guess affects only the group and the half-life, never whether the text is kept. Pure.
"""

# ruff: noqa: E501  Rows of words in eight languages.
from __future__ import annotations

from wm.text.letters import WordPattern

_LINK = WordPattern(
    r"https?://|\b(?:linear|slack|notion|confluence|grafana|jira|pagerduty|datadog|sentry)\b.{0,40}\b(?:is|are|at|in|board|channel)\b|dashboards?\b|仪表盘|看板|ダッシュボード|대시보드"
)
_DOCUMENT = WordPattern(
    r"\b(?:guide|docs?|documentation|runbook|manual|handbook|spec(?:ification)?s?|reference|schema|contract|wiki|procedure|template|"
    r"anleitung|handbuch|dokumentation|manual|guía|documentación|guide|procédure|doc|guia|documentação|contrato)\b"
    r".{0,60}[\w.-]+[/.][\w./-]+\.?$|(?:文档|手册|指南|规范|清单|規約|手順|仕様|一覧|ガイド|マニュアル|문서|매뉴얼|가이드|목록|절차).{0,40}[\w.-]+/[\w./-]+"
)
_DECISION = WordPattern(
    r"\b(?:decided|decide|decision|we chose|we choose|we picked|we settled|we agreed|agreed to|we (?:will |'ll |now )?(?:use|switch|drop|stop|no longer)\b|"
    r"we (?:will|won't|do not|don't) (?:use|support)|we \w+ .{1,60}\b(?:instead of|rather than)|standardi[sz]ed? on|"
    r"entschieden|beschlossen|entscheidung|wir (?:verwenden|nutzen|setzen)|decidimos|decidido|hemos decidido|decisión|usamos|acordamos|"
    r"décidé|décision|nous (?:utilisons|avons choisi)|on utilise|decisão|combinamos|adotamos)\b|"
    r"决定|決定|定了|选用|採用|采用|決めた|決めました|決まった|採用する|결정|정했|하기로 했"
)
_FEEDBACK = WordPattern(
    r"^(?:always|never|do not|don't|please|avoid|use|prefer|answer|reply|respond|write|ask|keep|explain|show|run|"
    r"make|add|stop|include|quote|be|call|commit|check|put|format|no (?:new|more)|not to|to (?:always|never)|"
    r"bitte|antworte|schreibe?|verwende|nutze|responde|escribe|usa|no uses|evita|réponds|rédige|écris|utilise|évite|"
    r"responda|escreva|use|evite|siempre|nunca|toujours|jamais|sempre|immer|niemals)\b|"
    r"\b(?:i (?:\w+ )?(?:prefer|like|want|hate|dislike)|my preference|user (?:wants|prefers|likes|dislikes)|ask(?:ing)? me|"
    r"without asking|tell me|you (?:should|must|can|may)|for me|answers?|responses?|replies|commit messages?|"
    r"bitte|ich (?:bevorzuge|möchte|mag)|frage? mich|ohne .{0,20}zu fragen|antworten|"
    r"prefiero|pregúntame|sin preguntar|respuestas|mensajes de commit|commits|"
    r"je préfère|demande-moi|sans demander|réponses|"
    r"prefiro|pergunte|sem perguntar|respostas|mensagens de commit)\b|"
    r"请|請(?:[^求]|$)|不要|必须|務必|回复|回答|提交信息|我(?:更)?(?:喜欢|偏好)|我(?:更)?喜歡|"
    r"ください|書いて|使って|コミットメッセージ|答えて|好み|해\s?줘|하지\s?마|해주세요|선호|답변|커밋 메시지"
)
_PROJECT = WordPattern(
    r"\b(?:this|the|our) (?:project|repo|repository|codebase|monorepo|workspace)\b|"
    r"\b(?:dieses|das) (?:projekt|repository)\b|\beste (?:proyecto|repositorio|projeto|repositório)\b|\bce (?:projet|dépôt)\b|"
    r"本(?:项目|仓库|專案)|这个(?:项目|仓库)|この(?:プロジェクト|リポジトリ)|이 (?:프로젝트|저장소)"
)
_DIRECTIVE = WordPattern(
    r"^(?:from now|from here|going forward|henceforth|ab jetzt|ab sofort|von |künftig|in zukunft|a partir|de ahora|"
    r"desde ahora|en adelante|désormais|dorénavant|à partir|à l'avenir|de agora|daqui|doravante|从现在|從現在|从今|以后|以後|"
    r"今后|今後|これから|以後|앞으로|이제부터|지금부터|my preference|i )"
)

MATCHED_CHARS = 600
"""Number of characters examined: the beginning of a text determines its type."""


def infer_type(text: str, trigger: str = "") -> str:
    """Return reference, decision, project or feedback: the first matching rule, in this order."""
    head = text[:MATCHED_CHARS]
    if _LINK.search(head) or _DOCUMENT.search(head):
        return "reference"
    if _DECISION.search(head):
        return "decision"
    if _PROJECT.search(head):
        return "project"
    if _FEEDBACK.search(head) or _DIRECTIVE.match(trigger):
        return "feedback"
    return "project"
