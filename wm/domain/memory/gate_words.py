# ruff: noqa: E501  One row, one way of saying it.
"""Word tables of the quality gate, in up to sixteen languages (EX-3).

Each table is a tuple of re2 patterns; a text that matches one has the quality. The text is in lower
case, without accents and normalised (full-width, invisible and lookalike characters undone). Write
rows in lower case, which compile in half the time of those without case, and with their accents,
which the gate removes. Data only: `wm.domain.memory.gate` decides the precedence.
"""

from __future__ import annotations

Patterns = tuple[str, ...]

FILE = r"[\w.@~/\[\]-]*[\w\])]\.[a-z][a-z0-9]{0,5}\b"
_HASHES = (
    f"[{one}]{{{n}}}[{other}][0-9a-f]{{{6 - n},39}}"
    for one, other in (("a-f", "0-9"), ("0-9", "a-f"))
    for n in range(1, 7)
)
HASH = rf"\b(?:{'|'.join(_HASHES)})\b"
"""Seven characters at least, with a digit and a letter: "ec2" and "db1" name machines."""

_NUM = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|deux|trois|quatre|cinq|sept|huit|neuf|dix|douze|dois|duas|três|quatro|sete|oito|nove|dez|doze)"
_CJK_NUM = r"(?:\d+|[一二两兩三四五六七八九十]+|하나|둘|셋|넷|두|세|네|다섯|여섯|일곱|여덟|아홉|열)"

DURABLE: Patterns = (
    r"\b(?:always|never|must(?:n't)?|shall|should(?:n't)?|may not|may only|only|every|each|whenever|unless|required?|"
    r"forbidden|not allowed|by contract|by default|before \w+ing|instead of|rather than|prefer(?:s|red)?|avoid|conventions?|"
    r"polic(?:y|ies)|rules?|needs? to be|do not|don't|no longer|until the upstream|pinned|vendored|such as|for example|currently (?:supported|accepted|allowed|valid))\b",
    r"\b(?:means|stands for|bedeutet|heißt, dass|significa|quiere decir|vuol dire|signifie|veut dire|steht für|betekent|oznacza|betyder|anlamına gelir|anlamına geliyor)\b|\b(?:comes?|stems?) from .{1,80}, not\b|表示|意思是|意味|뜻(?:이|한|으로)|의미|co nghia la",
    r"\b(?:nachts|täglich|werktags|sonntags|nightly|at night|at midnight|(?:on )?(?:sun|mon|tues|wednes|thurs|fri|satur)days|la nuit|de noche|de noite|di notte|'s nachts|w nocy|geceleri|på natten)\b|每天|每晚|每周|夜里|毎日|毎晩|毎週|夜間|매일|매주|밤마다",
    r"\b(?:altijd|nooit|moet(?:en)?|alleen|non .{1,30} mai|mai [a-z]{2,}(?:are|ere|ire)|devono|bisogna|soltanto|vietato|zawsze|nigdy|trzeba|muszą|musi|wolno|tylko|her zaman|asla|gerekir|yalnızca|alltid|aldrig|måste|endast|luôn|phải|không bao giờ)\b",
    r"\b(?:immer|niemals|nie|muss|müssen|darf|dürfen|soll(?:en|te)?|nur|jede[rsnm]?|statt|bevorzugt|nicht mehr)\b",
    r"\b(?:siempre|nunca|jamás|deben?|hay que|hace falta|solo|sólo|cada|en lugar de|prefiere|evitar|prohibido|ya no)\b",
    r"^toujours\b|\b(?:doit|doivent|il faut|est|sont|on|nous|se) toujours\b|\b(?:jamais|doit|doivent|il faut|seulement|uniquement|chaque|au lieu de|préfère|éviter|interdit|ne plus)\b",
    r"\b(?:sempre|nunca|jamais|deve[m]?|é preciso|apenas|somente|cada|em vez de|prefere|evitar|proibido)\b",
    r"(?:要求|希望|偏好|喜欢|喜歡)[^，。]{0,6}先.{1,24}(?:再|才)",
    r"一律|必须|必須|禁止|不得|只能|只用|只支持|仅支持|仅限|总是|總是|始终|始終|每次|每个|每個|应该|應該|(?:^|[^要])不要|永远|统一|規定|规定|而不是|不再",
    r"必ず|常に|のみ|だけ|禁止|べきである|ないこと|毎回|ではなく|ため|してはいけない|使わない|しない。?$",
    r"항상|반드시|절대|금지|만 (?:사용|허용)|해야|하지 않(?:는다|고|기로|음)|마다|대신|전용|말 것",
)

PROGRESS: Patterns = (
    r"\b(?:phase|wave|step|milestone|sprint|stage|task|part|iteration|epic) #?\d+\b.{0,40}\b(?:is |are |was )?(?:done|complete[d]?|finished|closed|open|in progress|started|ready|next|under way)\b",
    r"^(?:(?:just|successfully|now|already|also)\s+)?(?:implemented|added|finished|refactored|migrated|rewrote|wired|bumped|cleaned up|ported|converted|debugged|investigated|verified|tested|pushed|landed|shipped)\s",
    r"^(?:i|we)(?:'ve| have)? (?:just |now |also |already |successfully )?(?:implemented|added|fixed|finished|completed|refactored|migrated|updated|created|removed|wrote|merged|renamed|moved|pushed|started|tested|verified|deployed|changed)\b",
    r"\b(?:halfway|half way|almost done|nearly done|in progress|work in progress|so far|up next|still to do|left to do|remaining work|todo:|wip\b|making progress)\b",
    r"\b(?:ist|sind|wurden?) (?:jetzt |nun |bereits |gerade |alle )?(?:abgeschlossen|fertig|erledigt|umgestellt|umgesetzt|behoben|implementiert|migriert|hinzugefügt|zusammengeführt|beendet|gelöst)\b|\b\d+ von \d+\b.{0,50}\b(?:umgestellt|fertig|erledigt|migriert|sind)\b|\bals nächstes\b|\bnächster schritt\b|\bin arbeit\b|\btests? (?:sind|laufen|bestehen) (?:alle )?(?:grün|durch)\b|^(?:habe|ich habe|wir haben) .{0,80}(?:t|en)[.!]?$",
    r"\b(?:j'ai|nous avons|on a) (?:\w+ ){0,2}?(?:fini|terminé|migré|ajouté|corrigé|implémenté|mis à jour|créé|refactorisé|fusionné|renommé|fait)\b|\b(?:est|sont) (?:maintenant |désormais |déjà )?(?:terminée?s?|finie?s?|achevée?s?|prête?s?|migrée?s?|corrigée?s?)\b|\bil reste (?:\d+|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|encore|à)\b|\btests (?:passent|sont verts|au vert)\b|\bprochaine étape\b|\ben cours\b",
    r"(?:已|已经|已經|刚刚|剛剛|全部|都)(?:完成|实现|實現|修复|修復|合并|合併|添加|重构|重構|迁移|遷移|更新|通过|通過|上传|提交)(?:[^的]|$)|(?:完成|修复|实现|重构)了|测试(?:已|全部|都|均|现在)*通过|測試(?:已|全部|都|均)*通過|下一步|目前进度|第[一二三四五六七八九十\d]+(?:阶段|階段|步)(?:已|完成)|进行中|進行中|还剩",
    r"(?:완료|구현|수정|추가|병합|이전|변경|작성|삭제|마이그레이션)(?:했|하였|됐|되었|함\b|했습니다|됨)|\d단계.{0,8}(?:완료|끝)|테스트.{0,12}(?:모두|전부)?\s?통과(?:했|함|$|\.|됐)|다음 단계|진행 중|작업 중|남은 작업",
    r"\b(?:is|are) (?:\w+ly |now |all |almost |nearly |half |mostly )*(?:finished|complete|converted|ported|done|in place|wired up)(?:[.,;!]|$| (?:and|now|as well|too)\b)|\b(?:is|are) (?:now )?(?:finished|done|complete) and\b",
    r"\bnext steps?(?: (?:is|are|will be)\b|\s?[:,.]|$)|\b(?:processed|imported|exported|indexed|scanned|converted) \d+ (?:files|rows|records|items|pages) (?:overnight|last night|in one go|so far)\b|\b(?:goal|target|milestone) (?:was |is )?(?:reached|met|achieved)\b|\b(?:checked|ticked) off\b|\b\d+/\d+ (?:\w+ )?(?:tasks?|tests?|files?|steps?|items?|screens?|modules?|tickets?)\b|^next(?: up)? (?:is|are|comes?|on)\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|\d+|some|a few) (?:\w+ ){0,2}?(?:are |is )?(?:left|to go|outstanding|remaining|still (?:open|missing))\b",
    r"\b(?:zur hälfte|fast|beinahe|größtenteils|so gut wie|endlich|nun|jetzt) (?:fertig|durch|erledigt|geschafft|umgestellt|abgeschlossen)\b|\b(?:es )?fehl(?:t|en) (?:nur )?noch\b|\bnoch (?:\d+|zwei|drei|vier|fünf|sechs|einige|ein paar) .{0,30}\b(?:offen|übrig|zu (?:tun|machen|migrieren|erledigen))\b|\bbleiben noch\b|\b(?:sind|ist) .{0,40}\b(?:erledigt|abgeschlossen|umgestellt|migriert|fertig(?:gestellt)?)[.!]?$|\bals nächstes kommt\b",
    r"\b(?:quedan?|faltan?) (?:\w+ ){1,4}(?:por|para|de|a) \w+[aei]r\b|\b(?:quedan?|faltan?) (?:solo |sólo |aún |todavía )?(?:\d+|dos|tres|cuatro|cinco|seis|algun[oa]s)(?: \w+|[.,;]|$)|\bcasi (?:terminad|list|acabad)[oa]s?\b|\b(?:todas )?las (?:\d+ )?pruebas (?:ya )?(?:pasan|pasaron)\b|^(?:ya )?(?:añad|implement|arregl|correg|termin|complet|migr|actualic|refactoric|cre|cambi|mov)(?:í|é|imos|amos)\b",
    r"\b(?:il (?:ne )?|ne )?reste(?:nt)? (?:plus |encore )?(?:que )?(?:\d+|deux|trois|quatre|cinq|six|quelques) \w+|\bpresque (?:finie?|terminée?|prête?)s?\b|\bles (?:\d+ )?tests passent\b",
    r"\b(?:falta|faltam|restam) (?:apenas |só |ainda )?(?:\d+|duas|dois|três|quatro|cinco|seis|algumas|alguns)(?: \w+|[.,;]|$)|\bquase (?:pront|terminad|concluíd)[oa]s?\b|\btestes (?:já |todos )?passaram\b|^(?:já )?(?:adicionei|ajustei|arrumei|movi|renomeei|escrevi|finalizamos|concluímos|migramos|terminamos)\b",
    r"(?:还有|還有|还剩|還剩|剩下|剩余|只剩|尚有).{0,14}(?:没|沒|未|待|需要|要)|(?:没有?|沒有?|尚未|还未)(?:迁移|遷移|处理|處理|转换|完成)[。.]?$|(?:已经?|已經|刚刚?|剛剛?|剛才|刚才|都|全部).{0,6}(?:加好|做好|写好|寫好|改好|修好|配好|写完|寫完|做完|改完|跑通|搞定|加上)|(?:更新|添加|新增|修复|修復|迁移|遷移|重构|重構|实现|實現|补充|補充|优化|優化|提交|合并)(?:好|完)?了",
    r"(?:あと|残り(?:は|が)?|残る(?:は|の)?)\s?(?:\d|[一二三四五六七八九十]|わずか|少し)|(?:まだ)?(?:移行|変換|対応|修正)していない.{0,14}(?:は|が)(?:あと|残)|(?:フェーズ|ステップ|段階|工程)\s?\d+.{0,6}(?:が|は)?(?:終わ|済|完)|(?:追加|実装|修正|更新|移行|作成|整理|対応)(?:し終え|が終わっ|も終わっ|まで終わ)",
    rf"^(?:the )?{_NUM} (?:of|out of|von|de|sobre) (?:the |den |las |los )?{_NUM} \w+\b.{{0,40}}\b(?:are|is|sind|ist|están|estão|closed|done|left|open|zu|fertig|cerrad|fechad|list|pront)|^{_NUM} \w+ sur {_NUM}\b|\b\d+ (?:van de|di|su|z|ze|из|av|dari|trên|dos|में से|من) \d+\b|\b\d+ में से \d+|{_CJK_NUM}\s?(?:个|個|つ|件|개|건)?(?:の|의)?.{{0,8}}?(?:中|のうち|중)(?:已|에서)?.{{0,6}}{_CJK_NUM}\s?(?:个|個|つ|件|개|건)|已(?:关闭|關閉|处理|完成|迁移).{{0,2}}{_CJK_NUM}\s?(?:个|個|项|条)",
    r"\b\d+\s?(?:percent|per cent|%|prozent|por ciento|pour cent|por cento) .{0,20}\b(?:done|complete[d]?|finished|converted|migrated|geschafft|fertig|erledigt|umgestellt|hech[oa]|list[oa]|completad[oa]|terminad[oa]|faite?|terminée?|achevée?|feit[oa]|pront[oa]|concluíd[oa])\b|\b(?:went|rose|grew|dropped|fell|improved|increased|climbed|stieg|subió|est passée?|subiu) (?:from|von|de) \d+|\b(?:now works|works now|works again|funktioniert (?:jetzt|nun|wieder)|ya funciona|marche maintenant|fonctionne (?:maintenant|désormais)|já funciona|agora funciona)\b|\bnothing (?:else |more )?(?:left )?to do\b",
    r"^the user (?:just )?(?:pasted|sent|uploaded|attached|shared|opened|clicked|seems|sounds|looks|is (?:happy|fine|ok))\b|^(?:the )?user (?:wants|asked|told) (?:me|us)\b|^já \w{2,}(?:ei|i|amos|emos|imos)\b",
    r"^(?:\w+ly )?(?:moved|converted|merged|skipped|renamed|wrote|rewrote|cleaned|replaced|extracted|pulled|dropped|reworked|simplified|polished|restructured|reorgani[sz]ed|reran|ran|tried|checked|looked|addressed|handled|covered|documented|deduplicated|improved|sped|tightened|adjusted|prepared|drafted|sketched|reverted|rolled|got|made|built|wired|hooked|switched|turned|touched|tweaked)\b .{0,3}\b(?:the|a|an|all|both|some|our|its|last|first|up|out|back|in|test_\w+)\b",
    r"\b(?:has|have) been (?:written|reviewed|wired|pushed|started|drafted|ported|moved|cleaned|split|rebased|released|deployed|adapted|adjusted|extended|reworked)\b|\b(?:on|at) (?:step|phase|task|item) (?:\w+) of \w+\b|\b(?:in|during|by the end of) this session\b|\bfor the next session\b|\bleft off\b|\bpick(?:ing)? up (?:where|from)\b",
    r"(?:做|写|寫|改|修|弄|搞|处理|處理|迁移|遷移|测|跑)(?:完|好|通)(?:了|[。，.]|$)|已(?:实现|實現|做完|写好|支持)(?:[^的]|$)",
    r"\b(?:one|two|three|four) (?:thirds?|quarters?|fifths?) (?:done|complete|finished|through|converted|of the way)\b|\b(?:zwei dritteln?|drei vierteln?|dos tercios|tres cuartos|deux tiers|trois quarts|dois terços|três quartos)\b|[三四五]分(?:之|の)[一二三四]|[삼사오]분의 ?[일이삼사]",
    r"^j'ai (?:\w+ment )?\w{2,}(?:é|i|u|is|it)\b|^(?:he|hemos) (?:\w+mente )?\w{2,}[aei]do\b|^(?:ya )?\w{3,}(?:é|í) (?:el|la|los|las|un|una|dos|tres)\b|^(?:já )?\w{2,}(?:ei|[bdgnrtuvz]i) (?:o|a|os|as|um|uma|dois|duas|três)\b|^(?:ich habe|wir haben|habe|haben) .{3,80}\b(?:ge\w+|\w+iert)\b",
)

ADJECTIVE = (
    r"^(?:fixed|completed|updated|created|removed|deleted|merged|renamed|moved|changed|added|closed|resolved|installed|migrated|"
    r"tested|shipped|landed|implemented|finished|disabled|enabled|extracted|split|converted|verified|replaced)[ -]\w+(?: \w+)? "
    r"(?:are|is|must|need|needs|get|gets|have|has|stay|stays|keep|keeps|carry|go|goes|live|belong|expire|may|can|cannot|never|use|will)\b"
)
"""`Completed orders are archived`: a kind of thing, not a report of work."""

PAST_END = (
    r"(?:を|も)[^。、]{1,12}(?:した|いた|った|んだ|えた|めた|せた|けた|しました|きました|りました)。?$|"
    r"(?:을|를|도|까지) \S{0,8}(?:[했썼었았였렸겼쳤됐꿨냈웠왔뒀줬놨]다|했음|했습니다|[었았였]습니다)\.?$|"
    r"(?:已|已经|也|都|刚|把)[^。]{1,20}了[。.]?$"
)
"""Chinese, Japanese and Korean sentences end in the verb: with such an ending they report work."""

RAW_ERROR: Patterns = (
    r"^(?:uncaught |unhandled |caused by: )?(?:[a-z_][\w$]*(?:\.|::))*[a-z_]\w*(?:error|exception|warning|fault|failure|panic)(?:\s?\[\w+\])?\s?:\s?\S",
    r"^(?:[a-z_]\w*\.)+(?:errors|exceptions?)\.\w+:\s",
    r"^(?:[\w./\\-]+\.\w{1,5}[(:]\d+[,:)\d]*|[\w./-]+:\d+):?\s.{0,12}\b(?:error|fatal|warning)\b|^(?:unhandled|uncaught) [\w ]{1,30}:\s|^[\w.-]{2,20}: (?:fatal )?(?:error|command not found)\b|^[\w./-]{2,30}: [\w./-]{1,60}: (?:command not found|no such file|permission denied|not found)",
    r"^\[?(?:(?:fatal|schwerer|kritischer|internal|interner) )?(?:error|fatal|panic|ausnahme|excepción|exceção|exception|异常|例外|예외|fehler|erreur|errore?|erro|fout|błąd|ошибка|hata|lỗi|错误|錯誤|报错|エラー|오류|에러|خطأ|त्रुटि)(?: (?:fatale?|critique|crítico|grave|interne|interno|de \w+))?\]?(?:\[\w+\])?\s?[:：]\s?\S",
    r"^(?:error ts\d+|error\[e\d+\]|npm err!|npm error|e \w+(?:error|exception)\b|e assert |failed tests?/|fail(?:ed)? \S+(?:::|/)\S+|--- fail|make: \*\*\*|ld: |segmentation fault|core dumped|bus error|assertionerror|exit (?:code|status) [1-9])",
    r"^\w[\w.-]{1,20}: (?:\(\d+\)|error|fatal|failed|cannot|unable|unknown|invalid|unrecogni[sz]ed|no such|permission|command)\b|^\.{0,2}/?[\w./-]+\.\w{1,5}:\d+(?::\d+)?:\s|\bobject has no attribute '|\b(?:segmentation fault|core dumped|bus error|out of memory|killed by signal|connection (?:refused|reset)|bad gateway|cannot allocate)\b.{0,20}$|\bno module named '",
)

ERROR_FORM = (
    r"^\W?(?:\w+(?:error|exception|warning)|errors?|fatal|fehler|erreur|erro|error|exceptions?|warnings?|错误|エラー|오류)\]?\s?[:：]\s?"
    r"(?:always|never|use[ds]?|raised?|thrown?|means|reserved|whenever|mapped|returned by|keep|write|start|end|lower case|upper case|without|one (?:line|per)|code,|immer|nie|niemals|ohne|nur|bedeutet|wird|werden|siempre|nunca|sin|significa|toujours|jamais|sans|signifie|sempre|sem|senza|mai|altijd|zawsze|всегда|her zaman|luôn|必须|一律|始终|常に|必ず|항상)(?:\b|\s|$|[^\x00-\x7f])"
    r"|(?:errors?|exceptions?|failures?|warnings?|timeouts?|messages|stack traces?|fehler\w*|erreurs|errores|erros|errori|fouten)\b.{0,30}\b(?:looks? like|(?:is|are) (?:written|printed|formatted|logged|shown|reported|returned) (?:as|in|like)|ha(?:s|ve) the form|(?:sieht|sehen) .{0,12}aus wie|ha(?:t|ben) die form|werden als|se (?:escriben|ven|muestran) como|ressemblent|s'écrivent|ont la forme|têm a forma|hanno la forma|hebben de vorm)\b"
)
"""The sentence describes the form or use of errors, not an error that happened."""

STACK: Patterns = (
    r"traceback \(most recent call last\)|\bfile \"[^\"]{1,200}\", line \d+|exception in thread|^\s*at [\w$.<>\[\] ]+ ?\([^()]{1,200}:\d+(?::\d+)?\)|"
    r"\bat [\w$.<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\)|goroutine \d+ \[|thread '[^']{1,60}' panicked at|"
    r"#\d+\s+0x[0-9a-f]{4,}|\bat (?:async )?[\w$.]+ \([^()]{1,200}:\d+:\d+\)|\bat /?[\w./-]+:\d+:\d+\b|caused by: [\w.]+(?:exception|error)|\.go:\d+ \+0x",
    r"[\w./-]+\.\w{1,5}[:(]\d+[^;!?]{0,50}(?:->|<-|=>|→|←|<=|\bfrom\b|\bcalled by\b|\bvia\b)\s?[^;!?]{0,20}[\w/-]+\.\w{1,5}[:(]\d+|^#\d+ .{0,120}\.\w{1,5}[(:]\d+|\.\w{1,5}:line \d+|^\([\w.-]+ \d[\w.-]*\) \S+\.exs?:\d+:|\.\w{1,5}:\d+:in [`'\"]|\bframe #\d+: ",
)

COMMIT: Patterns = (
    r"^(?:[0-9a-f]{7,40}\s+)?(?:feat|fix|chore|docs|refactor|test|tests|build|ci|perf|style|revert)(?:\([\w./, -]{1,40}\))?!?:\s",
    rf"\b(?:merged|landed|committed|pushed|cherry-picked|reverted|reverts?|squashed|rebased|tagged|commits?|head is(?: now)? at|as|at|on|in|no|en el|au|dans le|im|der|nel)\s(?:commit |rev(?:ision)? |sha )?(?:to |as |onto )?{HASH}",
    rf"(?:提交|コミット|커밋|版本)(?:是|为|は|は、|은|는)?\s?{HASH}",
    r"\b(?:ci|build|pipeline|workflow|job|run|github actions?|action|lauf|ejecución|exécution|execução|esteira)s?\b.{0,20}#?\d{2,}\b.{0,50}\b(?:fail(?:ed|s|ing)?|pass(?:ed|es|ing)?|succeeded|broke|green|red|rerun|fehlgeschlagen|gescheitert|schlug|fehlgeschlagen|rot|grün|falló|pasó|échoué|passé|falhou|passou)\b",
    r"(?:流水线|流水線|构建|構建|パイプライン|ビルド|파이프라인|빌드)\s?#?\d+.{0,30}(?:失败|失敗|通过|通過|成功|실패|통과|성공)",
    r"\b(?:latest|last|newest|current) commit\b|\b\d+ commits? (?:ahead|behind)\b|\b(?:ahead of|behind) \S+ by \d+|最新提交|最新のコミット|최신 커밋|letzter commit|último commit|dernier commit",
    rf"\bhead\b.{{0,14}}{HASH}|\b(?:the )?(?:last|latest) (?:pipeline|build|ci run|run|workflow)\b.{{0,30}}\b(?:red|green|failed|passed|broke)|\b(?:went|is|turned) (?:red|green) (?:in|on|at|again|after|since)\b",
    r"\b(?:pr|mr|pull request|merge request|merge-request)\s?[#!]?\d+\b.{0,60}\b(?:waits?|waiting|review(?:ed)?|queue|mesclad[oa]|integrad[oa]|gemerged|zusammengeführt|fusionnée?|intégrée?|fusionó|mergeou)\b|\b(?:pr|mr)\s?[#!]?\d+.{0,20}(?:合并|合併|マージ|병합|머지)",
)

TEMPORARY: Patterns = (
    r"\b(?:currently|at the moment|right now|for the moment|as of (?:now|today)|for now|temporarily|momentarily|now waiting|waiting (?:for|on)|blocked (?:by|on)|on hold)\b",
    r"\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening|week|time)|tomorrow|earlier today|an hour ago|minutes ago|since (?:noon|this|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
    r"\buntil (?:next |this |the end of (?:the |this ))?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|next week|week|day|month|the fix lands|it is fixed)\b|\b(?:on (?:holiday|vacation|leave|sick leave)|out of office|off sick|in urlaub|krankgeschrieben|de vacaciones|en vacances|en congé|de férias)\b|\b(?:unstaged|uncommitted|untracked|staged) (?:changes|files|edits)\b|^(?:still )?(?:waiting (?:for|on)|(?:blocked|paused) (?:by|on|until|for|since))\b|\bhas(?: not|n't) (?:answered|replied|responded) (?:yet)?|\bno (?:answer|reply|response) (?:so far|yet)\b",
    r"\b(?:gerade|derzeit|im moment|momentan|zurzeit|zur zeit|aktuell|augenblicklich|vorübergehend|heute|gestern|diesmal|seit (?:heute|gestern|montag)|nicht erreichbar|bis (?:morgen|freitag|montag))\b",
    r"\b(?:en ce moment|actuellement|pour l'instant|pour le moment|aujourd'hui|depuis hier|hier (?:soir|matin)|ce (?:matin|soir)|cette (?:fois|semaine)|temporairement|provisoirement|en panne|hors service|en attente de|jusqu'à (?:demain|vendredi|lundi))(?:\b|\s|[.,]|$)",
    r"(?:^|, )agora\b|\bagora(?: mesmo)?[.!]?$|\bagora (?:mesmo|não|est[aáã]\w*)\b|\b(?:est[aáã]\w*|estou)\b.{0,30}\bagora\b|\b(?:atualmente|no momento|por enquanto|hoje|ontem|esta (?:manhã|semana|vez)|desta vez|temporariamente|fora do ar|aguardando|até (?:amanhã|sexta|segunda))(?:\b|\s|[.,]|$)",
    r"(?:現在(?:は|、|\s|編集|作業)|今のところ|今は|今日|昨日|今回|一時的|待ち(?:です|。|$)|ダウンして|落ちて|停止中|さきほど)",
    r"\b(?:wir|ich) wart(?:e|en)\b|^wart(?:e|en|et) (?:noch )?auf\b|\b(?:steht|stehen) noch aus\b|\b(?:im augenblick|augenblicklich|zur stunde|gegenwärtig|solange)\b.{0,40}\b(?:nicht|kein|weg|aus|gesperrt)\b|\b(?:ist|sind) (?:gerade |momentan |wieder )?(?:down|offline|ausgefallen|abgestürzt|gesperrt)[.!]?$",
    r"\b(?:estamos|estou|seguimos) (?:aguardando|esperando|à espera)|\bà espera d[aeo]\b|\b(?:está|estão) (?:fora|indisponíve|bloquead|parad|travad)",
    r"(?:现在|現在|目前|眼下|此刻|暂时|暫時).{0,10}(?:无法|無法|不能|不可用|连不上|連不上|访问不|打不开|没法|挂|宕|坏|停|不通)|(?:正在?|还在|仍在|我们在|一直)等(?:待|候|着)?|(?:等着|等候|等待).{0,12}(?:答复|回复|批准|审核|审批|结果)|(?:休假|请假|出差)(?:到|中|至)",
    r"今(?:は|、|\s)?(?:つなが|繋が|使え|動か|動い|落ち|止ま|見られ|開け|アクセスでき|応答し)|(?:回答|返事|返信|承認|レビュー|許可|連絡|対応|結果)(?:を|の)?待(?:って|ち)|(?:現在|いま)(?:使え|つなが|繋が|停止|利用でき|アクセスでき)|休暇中|不在(?:です|だ|。|$)",
    r"기다리(?:는 중|고 있)|(?:접속|연결|사용|접근)(?:이|은|되지|할 수)? ?(?:안|되지 않|없다|불가)|(?:답변|승인|검토|회신|리뷰)(?:을|를)? ?(?:기다|대기)|휴가 중|(?:서버|환경|서비스)(?:가|이|는|은)? ?(?:내려|죽어|멈춰)",
    r"\b(?:is|are) (?:running|open|up|started|listening) (?:in|on) (?:terminal|tab|tmux|screen|the background|another)\b|\b(?:this|tomorrow|later) (?:afternoon|morning|evening|week|today)\b|\b(?:next|last) (?:monday|tuesday|wednesday|thursday|friday|week)\b",
    r"(?:到|至|直到)(?:明天|后天|後天|周[一二三四五六日]|下周|星期)|(?:明日|来週|月曜|金曜|明後日|本日中?)まで|(?:내일|모레|다음 ?주|[월화수목금토일]요일)까지|(?:锁定|鎖定|暂停|停用|ロック|停止|잠겨|중단)(?:されて(?:いる|います)|中| 있|了$)",
    r"\b(?:still not|not yet|noch nicht|toujours pas|pas encore|todavía no|aún no|ainda não)\b|(?:还没|還沒|尚未|还未)[^的]*$|まだ[^、。]{1,20}(?:ない|ません)|아직 .{1,20}(?:않|못|안 |없)",
    r"\b(?:limited|locked|blocked|paused|down|unavailable|closed|banned|throttled|frozen|suspended)\b.{0,30}\buntil\b.{0,10}\d|\bthis session\b|\bin (?:a|an|one|two|three|five|ten|\d+|a few) (?:minutes?|hours?) (?:from now|or so)\b|\b(?:restarts?|resumes?|starts?|comes? back|will be back) in (?:a few|\w+) (?:minutes?|hours?)\b",
    r"\b(?:server|servers|service|container|containers|daemon|database|emulator|simulator|watcher|redis|postgres|docker|vite|webpack|backend|frontend|api|app|worker|process|compose|cluster|tunnel|notebook|jupyter)\b.{0,40}\b(?:is|are) (?:already |now |also |still )*(?:up and running|up|running|listening|started)\b(?: (?:on|at|in|under|locally|too|here|with pid)\b|[.,;!]?$)|\b(?:i|we|you|the user)(?:'ve| have)? (?:just |already )?(?:started|launched|booted|spun up|left)\b.{0,60}\b(?:(?:server|servers|service|container|containers|daemon|database|emulator|simulator|watcher|redis|postgres|docker|vite|webpack|backend|frontend|api|app|worker|process|compose|cluster|tunnel|notebook|jupyter)|terminal|tab|window)\b",
)

ACTIVE_FILE: Patterns = (
    rf"\b(?:editing|working (?:in|on)|looking at|viewing|modifying|reading|debugging|touching|opened|currently in)\s(?:the (?:file )?)?`?{FILE}",
    rf"\b(?:last|recently|currently|just) (?:edited|opened|changed|touched|modified|viewed|read)\b.{{0,20}}{FILE}",
    rf"^(?:active|open|opened|changed|edited|modified|touched|current|recent)(?: files?)?\s?[:：]\s.{{0,10}}{FILE}|^files? (?:changed|touched|edited|modified|open)\b.{{0,6}}{FILE}",
    rf"\b(?:bearbeite(?:t|n)?|geöffnet|editando|modificando|abriendo|trabajando en|trabalhando em|en train (?:de modifier|d'éditer)|je modifie|édition de)\b.{{0,30}}{FILE}",
    rf"(?:当前|當前|目前|现在|正)?在(?:编辑|編輯|修改|改|查看|看|写|寫|调试|調試)\s?(?:文件\s?)?{FILE}|{FILE}.{{0,8}}を(?:編集|修正|変更|開い|見|書い)(?:し)?て(?:いる|います|おり)|{FILE}.{{0,8}}(?:편집|수정|작업|변경)(?:하고 있|하는 중| 중)",
    rf"\b(?:focus|work) is (?:now )?on\b.{{0,20}}{FILE}|(?:いま|今)\s?{FILE}|\b(?:we are|i am|you are|cursor is|caret is) (?:now )?(?:in|at|on)\b.{{0,30}}{FILE}|\b(?:editor|cursor|buffer|tab|ide)\b.{{0,20}}\b(?:is|shows?|has|on|open)\b.{{0,30}}{FILE}|\b(?:zuletzt|últim[oa]s?|derniers?|dernières?|recent|recientes|récents?)\b.{{0,12}}\b(?:bearbeitet|geändert|geöffnet|archivos?|ficheros?|fichiers?|arquivos?|editad|modifi|abiert|ouverts?|abert)\w*\b.{{0,20}}{FILE}|(?:最近|最后|最後|刚刚|刚才|最近の|최근|마지막으로|방금).{{0,4}}(?:に|에)?\s?(?:编辑|編輯|修改|打开|編集|変更|開い|편집|수정|열).{{0,12}}{FILE}",
    rf"\b(?:has|have|having|got|with)\b.{{0,40}}{FILE}.{{0,40}}\bopen(?:ed)?\b(?:[.,;]| (?:in|at|on|right|beside|next)\b|$)|{FILE}.{{0,12}}\b(?:is|are) (?:\w+ )?open(?:ed)?\b(?:[.,;]| (?:in|at|on|right)\b|$)|\b(?:habe|hat|haben|ist|sind)\b.{{0,40}}{FILE}.{{0,30}}\b(?:offen|geöffnet|auf)\b|\b(?:tengo|tiene|tenemos|tenho|tem|temos|ho|abbiamo|j'ai|on a|está|est|è)\b.{{0,20}}\b(?:abiert|abert|apert|ouvert)\w*.{{0,20}}{FILE}|\b(?:tengo|tiene|tenho|tem|ho|j'ai|on a)\b.{{0,20}}{FILE}.{{0,20}}\b(?:abiert|abert|apert|ouvert)\w*",
)

CODE: Patterns = (
    r"^(?:export |default |async |public |private |protected |static |final |abstract |pub(?:\(\w+\))? |declare |override |inline |constexpr )*"
    r"(?:async\s)?(?:function\*?\s+\w+\s?[(<]|type\s+\w+\s+(?:func|struct|interface)\b|class\s+\w+\s?(?:[({:<]|extends\b|implements\b)|interface\s+\w+\s?(?:[{<]|extends\b)|type\s+\w+(?:<[^>]{1,60}>)?\s?=|"
    r"(?:const|let|var|val)\s+[\w{}\[\], ]+\s?(?::[^=]{1,60})?=|def\s+\w+\s?[(\[]|fn\s+\w+\s?[(<]|func\s+(?:\([^)]{1,60}\)\s?)?\w+\s?[(\[]|struct\s+\w+\s?[{(;]|"
    r"enum\s+\w+\s?\{|impl\b.{1,60}\{|trait\s+\w+|namespace\s+[\w.\\]+|module\s+\w+\s?[{=]|#include\s?[<\"]|#define\s+\w+|@\w+\(|"
    r"import\s+(?:[\w*{},\s]+\s+from\s+)?[\"'{*\w][\w./\"'{},* -]*;?$|from\s+[\w.]+\s+import\s|package\s+[\w.]+;?$|using\s+[\w.]+;|return\s+\S+;)",
    r"^(?:public|private|protected|static|void|int|string|bool|final|async)\s+[\w<>\[\], ]+\s+\w+\s?\([^)]{0,200}\)",
    r"^(?:select\s+.{1,300}\sfrom\s+\w+(?:\s+(?:where|order|group|limit|join|inner|left)\b|;|\s*$)|insert\s+into\s+\w+\s?[(\s]|update\s+\w+\s+set\s|delete\s+from\s+\w+(?:\s+where|;|$)|create\s+(?:table|index|view)\s|alter\s+table\s|drop\s+table\s)",
    r"^(?:get|post|put|patch|delete|head|options)\s+/\S*(?:\s+http/[\d.]+)?\s*$",
)

QUESTION: Patterns = (
    r"[?？](?:[\s)\]\"'”」』]*$|\s)",
    r"\bopen (?:question|issue|point)\b|\b(?:tbd|to be (?:decided|determined|discussed|clarified)|not (?:yet )?(?:been )?decided|undecided|unclear (?:if|whether|how|why|what)|unresolved)\b|"
    r"\bneed(?:s)? to (?:find out|decide|check (?:if|whether|with)|figure out|investigate|clarify|discuss|confirm)\b|^(?:should (?:we|i|it|the)|do we|can we|does the|is it|are we|what (?:if|about)|which|how (?:do|should|can)|why (?:do|does|is))\b.{0,200}$|"
    r"\b(?:maybe|perhaps) we (?:should|could)\b|\bwondering (?:if|whether)\b|\bnot sure (?:if|whether|yet|how|why)\b",
    r"\b(?:pregunta abierta|por decidir|aún no (?:está|se ha|hemos)|todavía no (?:está|se ha|hemos)|falta decidir|no está claro)\b|¿",
    r"\b(?:question ouverte|à (?:décider|voir|confirmer|clarifier)|pas encore (?:décidé|tranché)|faut-il|devrait-on|reste à (?:décider|voir))\b",
    r"\b(?:have|has|had|got) to (?:find out|decide|clarify|figure out|ask|check (?:if|whether))\b|\bno decision (?:so far|yet|has been)\b|\boptions? .{0,40}\bon the table\b|^to (?:clarify|decide|discuss|check|confirm|be (?:clarified|checked|confirmed))\b|\bneeds? (?:a )?(?:discussion|decision|clarification|clearing up)\b|^(?:maybe|perhaps|possibly)\b|\b(?:not|never) (?:yet )?(?:been )?(?:settled|agreed|sure|clear) (?:yet|if|whether|what|how|which)\b|\bstill (?:open|undecided|unclear)\b|\bto be (?:seen|found out)\b",
    r"\b(?:nicht|noch nicht|ungewiss|unklar|offen),? (?:ob|wie|welche)\b|^(?:ob|soll(?:en|te)?|müssen|können|welche[rsn]?|warum|wie|was)\b.{0,120}(?:noch nicht|offen|unklar)|\bmuss noch (?:geklärt|entschieden|besprochen)\b|\bnoch nicht (?:entschieden|geklärt|festgelegt|klar|geeinigt)\b",
    r"\bainda (?:não|nao) (?:decidimos|definimos|escolhemos|há decisão|se sabe)\b|\bfalta (?:definir|esclarecer|confirmar)\b|\bem dúvida\b|\ba ser (?:definido|decidido)\b",
    r"(?:还|還|尚|仍|目前)(?:没有?|沒有?|未)(?:最终|最終)?(?:定|决定|決定|确定|確定|想好|商定|敲定|谈妥)|(?:需要|有待|等待|还要|待)(?:讨论|討論|商量|确认|確認|决定|商榷)|(?:用|选|選).{1,12}还是.{1,12}(?:好|？|$)|要不要|该不该|能不能.{0,20}[？?]?$",
    r"まだ(?:決め|決ま|決定|合意|はっきり|検討)(?:て|って|して|し)?(?:い)?(?:ない|ません|中)|(?:要|今後)(?:相談|確認|議論)(?:。|$)|かどうか(?:は)?(?:まだ|未|不明|検討|確認)|(?:か|どちら).{0,8}迷って",
    r"아직 .{0,14}(?:정하지|결정하지|결정되지|정해지지|확정되지|합의하지|못 정)|(?:논의|확인|협의|결정)(?:가|이)? ?필요|(?:할지|지|을지|를지) (?:아직|고민|미정|논의)",
    r"\bnoch zu (?:entscheiden|klären|prüfen|besprechen|überlegen|bestimmen)\b|\b(?:steht|stehen) noch (?:nicht )?(?:fest|aus)\b|^ob\b.{1,120}\b(?:offen|unklar|ungewiss|nicht (?:fest|entschieden|klar))\b",
)

TRANSIENT_BUG: Patterns = (
    r"\bstill (?:fails?|failing|failed|broken|breaks|crash(?:es|ing)?|flaky|hangs?|occurs?|happens?|there|not working|debugging|investigating)\b",
    r"\b(?:fails?|breaks?|crashes|hangs?|works) (?:only )?on (?:my|your|his|her|\w+'s) (?:machine|laptop|computer|box)\b|\b(?:can(?:not|'t)|could not|couldn't|unable to) reproduce\b|\b(?:root )?cause (?:is )?(?:still |yet )?(?:unknown|unclear|not found)\b|\bno idea why\b|\bdo(?:es)? not know why\b",
    r"まだ(?:失敗|落ち|再現|直って|動か|解決して)|原因(?:は|が)?(?:不明|未特定|わから|分から|調査中)|調査中|再現でき(?:ない|ません)|時々(?:失敗|落ち)",
    r"\b(?:could|can) ?not be reproduced\b|\bnot reproducible\b|\b(?:happens?|occurs?|appears?|fails?|crashes) (?:only )?(?:sometimes|now and then|occasionally|at random|randomly|intermittently)\b|\bnobody knows why\b|\bcause (?:is |was )?(?:still |as yet )?(?:unknown|unclear)\b|\bno (?:cause|explanation|fix) (?:so far|yet|found)\b|\bfor (?:unknown|some unknown|no obvious) reasons?\b|\bstill (?:\w+ ){0,2}(?:hangs?|fails?|crash|leaks?|breaks?|times out|wrong)\b|\b(?:debugging|bisecting)\b.{0,30}$",
    r"\b(?:kommt|kommen|taucht|tauchen|tritt|treten|erscheint|passiert|bleibt|stürzt|hängt|schlägt)\b.{0,30}\b(?:immer wieder|immer noch|noch immer|weiterhin|nach wie vor|sporadisch|gelegentlich|ab und zu)\b|\b(?:wissen|weiß|wusste) (?:noch )?nicht,? (?:warum|wieso|woran|weshalb)\b|\bkeine ahnung,? (?:warum|wieso|woran)\b|\b(?:ursache|grund|auslöser) (?:ist |noch |bisher )*(?:unklar|unbekannt|ungeklärt|offen|nicht (?:gefunden|bekannt|klar))\b|\blässt sich nicht (?:nachstellen|reproduzieren)\b",
    r"\b(?:fallo|error|problema|bug|cuelgue|bloqueo)\b.{0,50}\b(?:sigue|continúa|persiste|vuelve|reaparece|ocurre a veces)\b|\b(?:no|sin) (?:se |hemos )?(?:encontr|conoc|hall|saber|sabe)\w* (?:aún |todavía )?(?:la causa|el motivo|por qué|el origen)\b|\b(?:se cuelga|se bloquea|falla) (?:todavía|aún|a veces|de vez en cuando|sin motivo)\b|\bseguimos (?:depurando|investigando)\b|\bno (?:logro|logramos|conseguimos|consigo) reproducir",
    r"\b(?:erreur|bug|plantage|problème|panne|échec|blocage)\b.{0,50}\b(?:revient|persiste|continue|réapparaît|se reproduit|survient (?:encore|toujours|parfois))\b|\bne (?:sait|savons|sais) (?:toujours )?pas (?:pourquoi|d'où|la cause)\b|\b(?:cause|raison|origine) (?:est |reste |toujours |encore )*(?:inconnue|introuvable|incertaine|pas (?:claire|trouvée))\b|\b(?:toujours|encore) (?:en échec|cassée?|instable)\b|\bimpossible (?:de|à) (?:le |la )?reproduire\b",
    r"\b(?:erro|falha|problema|bug|travamento)\b.{0,50}\b(?:continua|persiste|volta|reaparece|segue)\b|\b(?:não|sem) (?:\w+ )?(?:a causa|o motivo|a origem|a razão|por quê?)\b|\bnão (?:sabemos|descobri\w*|encontr\w+|ach\w+) (?:ainda )?(?:a causa|o motivo|por que|a origem)|\bcontinua(?:m)? (?:acontecendo|ocorrendo|falhando|travando|dando|aparecendo)\b|\b(?:trava|falha|quebra) (?:às vezes|de vez em quando|aleatoriamente)\b",
    r"(?:仍然?|还|還|依然|依旧|一直|总是?|又|偶尔|有时|时不时|偶發)(?:是|然)?会?(?:崩溃|崩潰|失败|失敗|报错|報錯|出错|卡死|卡住|超时|挂掉|闪退|出现|發生|发生|复现)|原因(?:还|還|尚|仍|目前)?(?:不明|不清楚|不详|未知|没找到|沒找到|未找到|没查|不知道|待查)|(?:查|找)不(?:到|出)原因|不知道为什么|不知道為什麼",
    r"(?:아직|아직도|여전히|계속|가끔|종종|간헐적으로|때때로)(?:도)? ?(?:\S+ ){0,2}(?:죽|실패|오류|발생|멈|튕|깨지|끊|나타나|불안정)|(?:원인|이유)(?:을|를|은|는|이|가)? ?(?:아직 )?(?:모르|모른|불명|알 수 없|알지 못|못 찾|찾지 못|파악(?:되지|하지|이 안)|밝혀지지)|왜 .{0,12}(?:모르|알 수 없)",
    r"\b(?:nobody|no one|none of us|niemand|personne|nadie|ninguém)\b.{0,14}\b(?:knows?|weiß|ne sait|sabe|understands|versteht)\b|(?:没人|沒人|没有人|誰も|아무도).{0,10}(?:知道|清楚|知ら|分から|わから|모르|모른)|\b(?:every now and then|now and again|once in a while|de vez en cuando|de temps en temps|de vez em quando|hin und wieder|ab und an)\b|(?:偶尔|有时|时不时|たまに|ときどき|時々|가끔|이따금).{0,8}(?:中断|断开|失败|卡|切れ|落ち|止ま|끊|멈|죽)|\bseems? (?:to be )?(?:flaky|broken|stuck|wrong|unstable|a (?:race|leak|bug))\b|\bprobably (?:a|an|because|due|caused|related)\b|\b(?:is|are) (?:blank|empty|stuck|frozen|garbled) (?:after|when|on|since)\b|\b(?:rerun(?:ning)?|retry(?:ing)?|restart(?:ing)?) (?:usually |sometimes |it )*(?:helps|fixes)\b|\buntil .{0,60}\bis (?:understood|fixed|resolved|found)\b",
    r"^(?:dass|warum|weshalb|wieso|woran|woher)\b.{1,120}\b(?:noch niemand|(?:wissen|weiß) (?:\w+ )?(?:noch )?(?:nicht|niemand|keiner)|niemand|unklar|unbekannt|rätselhaft|ungeklärt|nicht (?:klar|bekannt|zu erklären))\b",
)

_VERSION = r"(?:\bv?\d+\.\d+\.\d+(?:[\w.-]*\w)?|\b(?:rev|build|release|revision|deploy)[_ -]\w*\d\w*|\b[a-z]+(?:-[a-z]+)*-[0-9a-f]{8,10}-[0-9a-z]{5}\b)"
_PLACE = r"(?:\b(?:production|prod|staging|canary|preview|live|users|traffic|produktion|produktiv|testumgebung|producción|preproducción|recette|produção|homologação)\b|生产|生產|线上|線上|预发|预发布|测试环境|本番|ステージング|検証環境|운영|프로덕션|스테이징|실서버)"
_WHEN = r"(?:\b(?:since|at \d|seit|desde|depuis|now|today|jetzt|heute|ahora|hoy|maintenant|agora|hoje)\b|\b\d{1,2}(?::| ?h ?)\d\d\b|从|起|自|现在|今天|から|今日|現在|부터|오늘|지금|현재)"

DEPLOYED: Patterns = (
    r"\b(?:v?\d+\.\d+\.\d+[\w.-]*|rev_\w{6,}|build-\w{6,}|release-\w{6,}|revision \S+)\b.{0,60}\b(?:deployed|live on|rolled out|serves|serving|is (?:now )?(?:on|in|live)|desplegad[oa]|déployée?|ausgerollt|deployt|implantad[oa]|publicad[oa])\b",
    r"\b(?:latest|newest|current|last) (?:release|build|deployment|revision) is\b|\bpreview (?:is|url|link|deployment)\b.{0,20}https?://|https?://[\w.-]{0,80}(?:preview|deploy-preview|vercel\.app|netlify\.app|ngrok|trycloudflare)[\w.-]{0,40}",
    rf"{_VERSION}.{{0,60}}{_PLACE}.{{0,40}}{_WHEN}|{_VERSION}.{{0,50}}{_WHEN}.{{0,40}}{_PLACE}|{_PLACE}.{{0,40}}{_VERSION}.{{0,40}}{_WHEN}|{_PLACE}.{{0,30}}{_WHEN}.{{0,40}}{_VERSION}|{_WHEN}.{{0,40}}{_VERSION}.{{0,40}}{_PLACE}|{_WHEN}.{{0,40}}{_PLACE}.{{0,30}}{_VERSION}",
    rf"{_VERSION}.{{0,30}}\b(?:went|goes|is) (?:out|live|up)\b|\bactive (?:pod|revision|build|deployment|release)\b|\b(?:production|prod|staging|canary)\b (?:now )?(?:runs|is on|serves|is running)\b.{{0,12}}{_VERSION}|\brolled out to \d+ (?:percent|%)",
    r"\b(?:latest|newest|current|last) (?:build|release|deployment|revision|version)\b.{0,30}\bis\b.{0,20}\d|\b(?:testflight|play store|app store)\b.{0,30}\b\d+\.\d+",
)

INJECTION: Patterns = (
    r"\byou are (?:now |no longer |hereby )(?:in |a |an |the |bound|called|not|free|allowed|permitted|authori[sz]ed|acting|running|[a-z]{3})|\b(?:system|safety|security) rules (?:no longer|do not|don't) apply\b|\b(?:maintenance|developer|god|debug|admin|unrestricted|jailbreak|dan) mode\b.{0,40}\b(?:rules|restrictions|enabled|now|on|active|apply)\b|^jailbreak\b|\bjailbreak (?:yourself|the|this|mode|now|it|your)\b|\b(?:act|behave|respond) as (?:if you|an unrestricted|root|admin)\b|\bpretend (?:to be|that you|you are)\b",
    r"^\W{0,4}\[?(?:system|assistant|human|developer)\]?\s?(?:message|prompt|note|override|notice|instruction)?\s?[\]:>]\s?\S|\[(?:system|inst|/inst|sys)\]|<<sys>>|<\|?(?:im_start|im_end|system|endoftext)|</?(?:system|system-reminder|workspace_memory|core_memory|working_memory|instructions?|assistant|human|function_calls?|tool_result|tool_use|antml)\b[^<>]{0,60}>",
)
"""Markup of roles and of other modes; `intent` knows the orders themselves."""

PREFERENCE: Patterns = (
    r"\b(?:user|he|she|they|team|reviewers?|dana|i|we)\b.{0,20}\b(?:prefers?|likes?|wants?|dislikes?|hates?|works in|expects?|needs?|insists?|cares?|loves?|appreciates?|is fine with|rejects?)\b|\bpreferences?\b|\b(?:please|must|should|never|always|avoid|prefer|do not|don't|only|instead of|rather than|without|unless|before|no more|at most|not)\b",
)

REPORT: Patterns = (
    r"^(?:the |a )?(?:user|customer|client|he|she|they|developer|someone)\b.{0,20}\b(?:asked|said|reported|mentioned|requested|ran|opened|wondered|told|pasted|shared|wrote|tried|noticed|complained|thanked|confirmed)\b",
    r"\b(?:this time|last time|today|yesterday|diesmal|heute|gestern|esta vez|hoy|ayer|cette fois|aujourd'hui|desta vez|hoje|ontem)\b|这次|今天|昨天|今回|今日|昨日|이번에|오늘|어제",
    r"\b(?:der|die) (?:nutzer|benutzer|anwender)(?:in)? (?:hat |fragte|wollte wissen|bat)|\bel usuario (?:preguntó|pidió|dijo|ha preguntado|quería saber)|\bl'utilisat(?:eur|rice) (?:a (?:demandé|dit|posé)|voulait)|\bo usuário (?:perguntou|pediu|disse)|用户(?:问|询问|要求了|说了)|使用者(?:問|詢問)|ユーザー(?:が|は).{0,20}(?:質問した|尋ねた|聞いた|依頼した)|사용자(?:가|는).{0,20}(?:물었|질문했|요청했|문의했)",
    r"(?:用户|使用者|用戶|客户)(?:刚才|剛才)?(?:问|問|询问|詢問|说|說|提到|反馈|要求|打开|运行|上传|发来|发了).{0,20}(?:了|过|。|$)|(?:ユーザー|利用者|顧客)(?:が|は|から|に).{0,24}(?:聞かれ|聞いた|聞いて(?:き|い)|尋ねられ|問い合わせ|頼まれ|依頼され|言われ|言った|報告し|開い|実行し)|(?:사용자|고객|유저)(?:가|는|이|은|에게서|로부터).{0,24}(?:물어|물었|여쭤|문의|요청(?:했|함)|부탁|말했|얘기했|열었|실행했|보냈)|이번 (?:테스트|빌드|리뷰|회의|배포|검토|작업)(?:는|은|가|이)|今回の.{1,12}(?:は|が).{0,12}(?:かかった|でした|だった)|(?:테스트|빌드|리뷰|배포)(?:가|는|에)? ?\d+ ?(?:분|초|시간).{0,6}걸렸",
    r"\b(?:user|customer|client) (?:wants|would like|wishes) to know\b|\b(?:the )?(?:team|we|i) (?:had|met|talked|looked|discussed|reviewed|saw|read)\b|\b(?:el|la) (?:cliente|usuaria?|usuario) (?:reportó|informó|avisó|señaló|pegó|agradeció|intentó|quiso saber|quiere saber)\b|\bo (?:cliente|usuário) (?:relatou|informou|avisou|apontou|colou|agradeceu|tentou|quer saber)\b|\b(?:le client|l'utilisat(?:eur|rice)) (?:veut savoir|demande si|remercie|a (?:signalé|rapporté|indiqué|remercié|collé|essayé))\b|\b(?:der|die) (?:kunde|kundin|nutzer|benutzer)(?:in)? (?:will wissen|möchte wissen|dankt|bedankt)|(?:客户|用户|使用者)(?:报告|回報|回报|反映|抱怨|感谢|想知道|粘贴|贴出)|(?:顧客|ユーザー|利用者)(?:から|より).{0,20}(?:報告|連絡|質問|要望|依頼)|(?:고객|사용자)(?:이|가).{0,20}(?:신고|보고|알려|알고 싶어|붙여|감사)",
)

STATEMENT_START = (
    r"^(?:the|this|that|these|those|there|it|its|a|an|our|some|several|two|three|both)\s|"
    r"^(?:der|die|das|ein|eine|es gibt) .{2,80}\b(?:hat|haben|besteht|enthält|gibt|dauerte?n?)\b|^es gibt\b|"
    r"^(?:el|la|los|las|un|una|hay) .{2,80}\b(?:tiene|tienen|contiene|tardó|tardaron)\b|^hay (?:un|una|unos|unas|dos|tres|cuatro|cinco|varios|varias|algun\w*|muchos|muchas|pocos|pocas|más|\d+)\b|"
    r"^(?:le|la|les|un|une|l'\w+)\b.{0,80} (?:(?:a|ont) (?:un|une|des|deux|trois|quatre|cinq|six|pris|duré|\d+)|contient|comporte|possède|dur\w+)\b|^il y a\b|"
    r"^(?:o|a|os|as|um|uma|há) .{2,80}\b(?:tem|têm|contém|possui|levou|levaram|demor\w+)\b|^há\b|"
    r"(?:有|包含|共有)[一二两兩三四五六七八九十\d]+\s?(?:个|個|种|種|条|條|张|項|项)|"
    r"(?:が|は|に)?\s?[一二三四五六七八九十\d]+\s?(?:つ|個|件|本)(?:が)?(?:ある|あります|存在|持つ)|"
    r"(?:두|세|네|다섯|여섯|\d+) ?(?:개|건|가지)(?:가|의)? ?.{0,8}(?:있다|있습니다|가진다)"
)
"""Feedback that begins so (in Chinese, Japanese and Korean: that states a quantity) describes the
world, not how to work."""

EVENT: Patterns = (
    r"^(?:the |a )?(?:user|customer|client) (?:\w+ly |then |also |just )?(?:opened|ran|clicked|checked|read|looked|restarted|started|closed|sent|uploaded|installed|deleted|renamed|moved|pushed|updated|edited|typed|waited|found|saw|went|left|met|called|showed|visited|reviewed|tried|noticed|confirmed|thanked|complained)\b|\b(?:meeting|call|demo|review|workshop|retro|sprint|appointment|interview)\b.{0,40}\b(?:is (?:on|at|with)|moved|postponed|shifted|rescheduled|cancelled|canceled|delayed|takes place|is on|brought forward|happens)\b",
    r"\b(?:besprechung|treffen|termin|vorführung|sitzung|meeting|workshop|demo)\b.{0,60}\b(?:verlegt|verschoben|abgesagt|vertagt|vorgezogen|stattgefunden)\b|\b(?:heißt|heißen) (?:jetzt|nun)\b|\bwurden? .{0,80}\b(?:verlegt|vorgezogen|gelesen|gezeigt|gefragt|umgezogen|eingeladen)\b|^(?:habe|haben) .{0,80}\b(?:gelesen|angesehen|angeschaut|besprochen|durchgesehen|notiert)\b",
    r"(?:会议|會議|演示|评审|讨论会|约).{0,20}(?:改到|改在|推迟|推遲|提前|取消|移到|挪到|定在)|(?:变量|變數|變量|函数|函數|方法|文件|类).{0,20}(?:改名|重命名|更名|改成|改为|改為)|(?:看|读|讀|浏览|查看)了.{0,20}(?:文档|设计|代码|列表|方案)",
    r"(?:会議|打ち合わせ|ミーティング|デモ|面談|レビュー会).{0,20}(?:変更|延期|移|中止|前倒し|リスケ)|(?:変数|関数|メソッド|ファイル|クラス).{0,24}(?:改名|変更|リネーム|名前を変え)(?:し|され)?た|(?:設計書|資料|文書|ドキュメント|一覧)を(?:読|見|確認し)(?:んだ|た)",
    r"^(?:the )?(?:team|we|i|they|everyone|everybody) (?:\w+ly )?(?:had|met|talked|looked|discussed|reviewed|saw|read|went|spoke|chatted|checked|walked|listened|watched)\b|^(?:moved|opened|read|looked|listed|scrolled|searched|browsed|skimmed|copied|pasted|checked) (?:the|a|an|at|through|into|up|some)\b|\b(?:user|customer|client) (?:wants|would like|asks|asked|wishes) (?:to know|how|what|why|whether|if|for)\b",
    r"^(?:revisamos|vimos|hablamos|leímos|miramos|discutimos|comentamos|charlamos|repasamos|conversamos|analizamos|olhamos|falamos|lemos|conversámos|analisamos|discutimos)\b|\b(?:nous avons|on a|j'ai) (?:re)?(?:lu|vu|regardé|discuté|parlé|parcouru|examiné|consulté)\b|^(?:wir|ich) (?:haben|habe)\b.{0,60}\b(?:gelesen|angesehen|angeschaut|besprochen|gesprochen|durchgesehen|geredet|diskutiert)\b|(?:一起|和.{1,8})(?:看|读|讨论|聊|过|查看|检查)了|(?:チーム|みんな|顧客)と.{0,16}(?:確認|議論|相談|話|レビュー|閲覧|見)(?:し|っ)?(?:た|ました)|(?:팀|고객|모두)(?:과|와)? ?.{0,16}(?:살펴|논의|확인|검토|이야기|봤|보았|읽)",
    r"\b(?:user|customer|team|client) (?:was|were|has been) (?:\w+ly )?(?:shown|told|sent|given|offered|informed)\b|\b(?:shown|sent|presented|explained|demonstrated) to (?:the (?:user|team|customer|client)|everybody|everyone)\b|\b(?:bekam|bekamen|wurde|wurden|haben|hat) .{0,60}\b(?:gezeigt|geschickt|vorgestellt|vorgeführt|erklärt|mitgeteilt)\b|\bse (?:le )?(?:mostr|envi|present|explic)(?:ó|aron)\b|\b(?:a|ont) été (?:montrée?s?|envoyée?s?|expliquée?s?)\b|\b(?:foi|foram) (?:enviad|explicad|exibid)[oa]s?\b|(?:给|向)(?:用户|客户|使用者|团队).{0,8}(?:看|展示|演示|发|發|介绍|说明)了|(?:ユーザー|利用者|顧客|チーム)に.{0,24}(?:見せ|示し|送っ|説明し|提示し)(?:た|ました)|(?:사용자|고객|팀)(?:에게|한테|에).{0,24}(?:보여|보냈|설명했|제시했|공유했)",
    r"\b(?:anruf|telefonat|termin|besprechung|treffen)\b.{0,40}\b(?:ist|findet|am) .{0,12}(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen)|\b(?:llamada|reunión|cita|demo)\b.{0,40}\bes (?:el|a|mañana)\b|\b(?:appel|réunion|rendez-vous|démo)\b.{0,40}\b(?:est|a lieu) .{0,6}(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain)|\b(?:ligação|telefonema|reunião|chamada)\b.{0,40}\b(?:é|será) .{0,6}(?:segunda|terça|quarta|quinta|sexta|sábado|domingo|amanhã)|(?:电话|電話|会议|會議|会面).{0,10}(?:定在|在|是|改)(?:周|星期|明天)|(?:電話|会議|打ち合わせ|面談).{0,6}(?:月|火|水|木|金|土|日)曜|(?:통화|회의|미팅|전화).{0,6}[월화수목금토일]요일",
)

CHOICE: Patterns = (
    r"\b(?:because|chose|chosen|decid\w+|instead of|rather than|agreed|must|never|always|only|so that|in favou?r of|we (?:use|keep|store|do not|don't|will)|policy|rule)\b|weil|damit|entschieden|porque|para (?:que|no)|decid|parce que|afin|décidé|pour (?:que|ne)|因为|决定|決定|ため|決め|결정|때문|选择|選擇|选用|采用|採用|選択|선택|채택|하기로|기로 했|\b(?:elegimos|optamos|adoptamos|escolhemos|adotamos|choisi|adopté|retenu|gewählt|gewechselt|umgestiegen|settled|picked|switched|replaced .{1,40} (?:with|by)|kept)\b",
)
