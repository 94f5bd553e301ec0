# ruff: noqa: E501  One row, one way of saying it.
"""What the quality gate listens for, in eight languages (EX-3).

Each table is a tuple of re2 patterns; a text that matches one has the quality. Matched without
case on normalised text (full-width, invisible and lookalike characters undone) without accents,
and so are the rows: write them with theirs. Which quality
outweighs which is decided in `wm.domain.workspace.quality`.
"""

from __future__ import annotations

Patterns = tuple[str, ...]

FILE = r"[\w.@~/\[\]-]*[\w\])]\.[A-Za-z][A-Za-z0-9]{0,5}\b"
HASH = r"\b(?:[0-9a-f]*[a-f][0-9a-f]*[0-9]|[0-9a-f]*[0-9][0-9a-f]*[a-f])[0-9a-f]*\b"

DURABLE: Patterns = (
    r"\b(?:always|never|must(?:n't)?|shall|should(?:n't)?|may not|may only|only|every|each|whenever|unless|required?|"
    r"forbidden|not allowed|by contract|by default|before \w+ing|instead of|rather than|prefer(?:s|red)?|avoid|conventions?|"
    r"polic(?:y|ies)|rules?|needs? to be|do not|don't|no longer|until the upstream|pinned|vendored)\b",
    r"\b(?:immer|niemals|nie|muss|müssen|darf|dürfen|soll(?:en|te)?|nur|jede[rsnm]?|statt|bevorzugt|nicht mehr)\b",
    r"\b(?:siempre|nunca|jamás|deben?|hay que|solo|sólo|cada|en lugar de|prefiere|evitar|prohibido|ya no)\b",
    r"^toujours\b|\b(?:doit|doivent|il faut|est|sont|on|nous|se) toujours\b|\b(?:jamais|doit|doivent|il faut|seulement|uniquement|chaque|au lieu de|préfère|éviter|interdit|ne plus)\b",
    r"\b(?:sempre|nunca|jamais|deve[m]?|é preciso|apenas|somente|cada|em vez de|prefere|evitar|proibido)\b",
    r"一律|必须|必須|禁止|不得|只能|只用|总是|總是|始终|始終|每次|每个|每個|应该|應該|(?:^|[^要])不要|永远|统一|規定|规定|而不是|不再",
    r"必ず|常に|のみ|だけ|禁止|べきである|ないこと|毎回|ではなく|ため|してはいけない|使わない|しない。?$",
    r"항상|반드시|절대|금지|만 (?:사용|허용)|해야|하지 않(?:는다|고|기로|음)|마다|대신|전용|말 것",
)

PROGRESS: Patterns = (
    r"\b(?:all )?\d+(?: of \d+)? (?:unit |integration |e2e )?(?:tests?|specs?|suites?|checks?|files?|cases?|handlers?|modules?)\b.{0,30}\b(?:pass(?:ed|ing)?|green|fail(?:ed|ing)?|done|converted|migrated|ported|completed|left|remaining)\b",
    r"\btests? (?:are|is|were|all|now)\b.{0,20}\b(?:green|pass(?:ed|ing)?|red|failing)\b|\b(?:all|the) tests? pass(?:ed)?\b(?: now)?[.!]?$",
    r"^(?:(?:just|successfully|now|already|also)\s+)?(?:implemented|added|finished|refactored|migrated|rewrote|wired|bumped|cleaned up|ported|converted|debugged|investigated|verified|tested|pushed|landed|shipped)\s",
    r"^(?:(?:just|successfully|now|already|also)\s+)?(?:fixed|completed|updated|created|removed|deleted|merged|renamed|moved|changed|wrote|made|closed|resolved|installed|set up|started|replaced|extracted|split|introduced|improved|enabled|disabled)\s+(?:the|a|an|our|all|some|\d+|tasks?|phase|step|support|tests?|docs?|code|\w+ing|\w+s\b.{0,40}$|`)",
    r"^(?:i|we)(?:'ve| have)? (?:just |now |also |already |successfully )?(?:implemented|added|fixed|finished|completed|refactored|migrated|updated|created|removed|wrote|merged|renamed|moved|pushed|started|tested|verified|deployed|changed)\b",
    r"^(?:i|we) (?:am|are) (?:now |still |currently |about |halfway|nearly|almost|done|working|going)",
    r"\b(?:has|have) (?:now |just |already |all )?been (?:refactored|implemented|added|fixed|migrated|completed|updated|rewritten|converted|renamed|moved|merged|tested|finished|removed|done|extracted)\b",
    r"\b(?:was|were|is|are) (?:now |just |already |successfully )?(?:implemented|fixed|completed|finished|refactored|migrated|merged|done)\b(?:.{0,40}\b(?:today|yesterday|now|(?:previous|this|last) session|already)\b|[.!]?$)",
    r"\b(?:phase|wave|step|milestone|sprint|stage|task|part|iteration|epic) #?\d+\b.{0,40}\b(?:is |are |was )?(?:done|complete[d]?|finished|closed|open|in progress|started|ready|next|under way)\b",
    r"\b(?:halfway|half way|almost done|nearly done|in progress|work in progress|so far|up next|still to do|left to do|remaining work|next steps?|todo:|wip\b|making progress)\b",
    r"\b\d+ (?:of|out of|/) \d+\b.{0,40}\b(?:files?|handlers?|modules?|tests?|tasks?|screens?|endpoints?|components?|tables?|services?)\b",
    r"\b(?:ist|sind|wurden?) (?:jetzt |nun |bereits |gerade |alle )?(?:abgeschlossen|fertig|erledigt|umgestellt|umgesetzt|behoben|implementiert|migriert|hinzugefügt|zusammengeführt|beendet|gelöst)\b|\b\d+ von \d+\b.{0,50}\b(?:umgestellt|fertig|erledigt|migriert|sind)\b|\bals nächstes\b|\bnächster schritt\b|\bin arbeit\b|\btests? (?:sind|laufen|bestehen) (?:alle )?(?:grün|durch)\b|^(?:habe|ich habe|wir haben) .{0,80}(?:t|en)[.!]?$",
    r"\b(?:he|hemos|ha sido|han sido|se ha|se han) (?:\w+ ){0,2}?(?:migrado|terminado|completado|añadido|implementado|arreglado|corregido|actualizado|cambiado|creado|refactorizado|acabado|fusionado|hecho)s?\b|\b(?:está|están|fue|quedó|quedan?) (?:ya )?(?:terminad|completad|list|acabad|hech|corregid|migrad)[oa]s?\b|\bfase \d+\b.{0,30}\b(?:terminada|completada|lista)\b|\bpruebas (?:pasan|en verde|están pasando)\b|\b(?:próximo|siguiente) paso\b|\ben curso\b",
    r"\b(?:j'ai|nous avons|on a) (?:\w+ ){0,2}?(?:fini|terminé|migré|ajouté|corrigé|implémenté|mis à jour|créé|refactorisé|fusionné|renommé|fait)\b|\b(?:est|sont) (?:maintenant |désormais |déjà )?(?:terminée?s?|finie?s?|achevée?s?|prête?s?|migrée?s?|corrigée?s?)\b|\bil reste (?:\d+|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|encore|à)\b|\btests (?:passent|sont verts|au vert)\b|\bprochaine étape\b|\ben cours\b",
    r"\b(?:foi|foram|está|estão|ficou) (?:já |agora )?(?:concluíd|terminad|finalizad|corrigid|migrad|implementad|adicionad|pront|refatorad)[oa]s?\b|\btestes (?:estão |todos )?(?:passando|passam|verdes)\b|^(?:eu )?(?:terminei|concluí|migrei|adicionei|implementei|corrigi|atualizei|criei|refatorei|finalizei)\b|\bpróximo passo\b|\bem andamento\b",
    r"(?:已|已经|已經|刚刚|剛剛|全部|都)(?:完成|实现|實現|修复|修復|合并|合併|添加|重构|重構|迁移|遷移|更新|通过|通過|上传|提交)|(?:完成|修复|实现|重构)了|测试(?:已|全部|都|均|现在)*通过|測試(?:已|全部|都|均)*通過|下一步|目前进度|第[一二三四五六七八九十\d]+(?:阶段|階段|步)(?:已|完成)|进行中|進行中|还剩",
    r"(?:完了|実装|修正|移行|追加|対応|更新|作成|削除|変更|マージ)(?:した|しました|済み|済|し、|して、)(?:。|、|$|テスト|.{0,20}通った)|(?:フェーズ|ステップ|段階)\s*\d+.{0,12}(?:完了|終了|終わ)|テスト(?:は|が)?.{0,12}(?:成功|通過|パス|グリーン|通っ)(?:た|した|しました|している|。|$)|次のステップ|作業中|進行中|途中です|残り\s*\d",
    r"(?:완료|구현|수정|추가|병합|이전|변경|작성|삭제|마이그레이션)(?:했|하였|됐|되었|함\b|했습니다|됨)|\d단계.{0,8}(?:완료|끝)|테스트.{0,12}(?:모두|전부)?\s?통과(?:했|함|$|\.|됐)|다음 단계|진행 중|작업 중|남은 작업",
)

ADJECTIVE = (
    r"^(?:fixed|completed|updated|created|removed|deleted|merged|renamed|moved|changed|added|closed|resolved|installed|migrated|"
    r"tested|shipped|landed|implemented|finished|disabled|enabled|extracted|split|converted|verified|replaced)[ -]\w+(?: \w+)? "
    r"(?:are|is|must|need|needs|get|gets|have|has|stay|stays|keep|keeps|carry|go|goes|live|belong|expire|may|can|cannot|never|use|will)\b"
)
"""`Completed orders are archived`: a kind of thing, not a report of work."""

RAW_ERROR: Patterns = (
    r"^(?:uncaught |unhandled |caused by: )?(?:[A-Za-z_][\w$]*(?:\.|::))*[A-Za-z_]\w*(?:Error|Exception|Warning|Fault|Failure|Panic)(?:\s?\[\w+\])?\s?:\s?\S",
    r"^(?:[a-z_]\w*\.)+(?:errors|exceptions?)\.\w+:\s",
    r"^\[?(?:error|fatal|panic|fehler|erreur|erro|错误|錯誤|报错|エラー|오류|에러)\]?(?:\[\w+\])?\s?[:：]\s?\S",
    r"^(?:error ts\d+|error\[e\d+\]|npm err!|npm error|e   \w+|failed tests?/|fail(?:ed)? \S+(?:::|/)\S+|--- fail|make: \*\*\*|ld: |segmentation fault|core dumped|bus error|assertionerror|exit (?:code|status) [1-9])",
    r"\b(?:ENOENT|ECONNREFUSED|ERESOLVE|EADDRINUSE|EACCES|ETIMEDOUT|ENOTFOUND|EPERM|MODULE_NOT_FOUND|ERR_[A-Z_]{4,})\b.{0,80}(?:[:,)]|$)",
    r"\b(?:command not found|no such file or directory|permission denied|undefined reference to|is not defined|is not a function|cannot read propert(?:y|ies)|cannot find module|unexpected token)\b.{0,80}$",
    r"- assert .{1,80}(?:==|!=|<|>|is|in)",
)

STACK: Patterns = (
    r"traceback \(most recent call last\)|\bfile \"[^\"]{1,200}\", line \d+|exception in thread|^\s*at [\w$.<>\[\] ]+ ?\([^()]{1,200}:\d+(?::\d+)?\)|"
    r"\bat [\w$.<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\)|goroutine \d+ \[|thread '[^']{1,60}' panicked at|"
    r"#\d+\s+0x[0-9a-f]{4,}|\bat (?:async )?[\w$.]+ \([^()]{1,200}:\d+:\d+\)|\bat /?[\w./-]+:\d+:\d+\b|caused by: [\w.]+(?:exception|error)|\.go:\d+ \+0x",
)

COMMIT: Patterns = (
    r"^(?:[0-9a-f]{7,40}\s+)?(?:feat|fix|chore|docs|refactor|test|tests|build|ci|perf|style|revert)(?:\([\w./, -]{1,40}\))?!?:\s",
    rf"\b(?:merged|landed|committed|pushed|cherry-picked|reverted|reverts?|squashed|rebased|tagged|commits?|head is(?: now)? at|as|at|on|in|no|en el|au|dans le|im|der|nel)\s(?:commit |rev(?:ision)? |sha )?(?:to |as |onto )?{HASH}",
    rf"(?:提交|コミット|커밋|版本)(?:是|为|は|は、|은|는)?\s?{HASH}",
    r"\b(?:pr|mr|pull request|merge request)\s?[#!]?\d+\b.{0,40}\b(?:merged|opened|closed|approved|landed|ready|updated|rebased|entrou|entra|fusionad[oa]|mergead[oa]|gemergt|fusionnée?|mergée?)\b",
    r"\b(?:ci|build|pipeline|workflow|job|run|github actions?|action)s?\b.{0,20}#?\d{2,}\b.{0,50}\b(?:fail(?:ed|s|ing)?|pass(?:ed|es|ing)?|succeeded|green|red|rerun|fehlgeschlagen|rot|grün|falló|pasó|échoué|passé|falhou|passou)\b",
    r"(?:流水线|流水線|构建|構建|パイプライン|ビルド|파이프라인|빌드)\s?#?\d+.{0,30}(?:失败|失敗|通过|通過|成功|실패|통과|성공)",
    r"\b(?:ci|the pipeline|the build|main|master|trunk) (?:is|was|went|turned) (?:now |currently |all )?(?:green|red|broken|failing|passing)\b",
    r"\b(?:latest|last|newest|current) commit\b|\b\d+ commits? (?:ahead|behind)\b|最新提交|最新のコミット|최신 커밋|letzter commit|último commit|dernier commit",
)

TEMPORARY: Patterns = (
    r"\b(?:currently|at the moment|right now|for the moment|as of (?:now|today)|for now|temporarily|momentarily|now waiting|waiting (?:for|on)|blocked (?:by|on)|on hold)\b",
    r"\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening|week|time)|tomorrow|earlier today|an hour ago|minutes ago|since (?:noon|this|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
    r"^(?:pending|status|blocked|in review|open items?|todo)\s?:\s|\b(?:is|are) (?:down|offline|unreachable|not reachable|unavailable|out of order|checked out|dirty)\b(?: (?:again|since|for))?[^,;]{0,30}[.!]?$|\buncommitted changes\b|\bworking tree\b|\bthe branch \S+ is\b",
    r"\buntil (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|next week|the fix lands|it is fixed)\b",
    r"\b(?:gerade|derzeit|im moment|momentan|zurzeit|zur zeit|aktuell|augenblicklich|vorübergehend|heute|gestern|diesmal|seit (?:heute|gestern|montag)|nicht erreichbar|bis (?:morgen|freitag|montag))\b",
    r"\b(?:ahora(?: mismo)?|actualmente|en este momento|por ahora|de momento|hoy|ayer|esta (?:mañana|tarde|vez|semana)|temporalmente|caído|pendiente de|hasta (?:mañana|el viernes|el lunes))\b",
    r"\b(?:en ce moment|actuellement|pour l'instant|pour le moment|aujourd'hui|depuis hier|hier (?:soir|matin)|ce (?:matin|soir)|cette (?:fois|semaine)|temporairement|provisoirement|en panne|hors service|en attente de|jusqu'à (?:demain|vendredi|lundi))(?:\b|\s|[.,]|$)",
    r"\b(?:agora(?: mesmo)?|atualmente|no momento|por enquanto|hoje|ontem|esta (?:manhã|semana|vez)|desta vez|temporariamente|fora do ar|aguardando|até (?:amanhã|sexta|segunda))(?:\b|\s|[.,]|$)",
    r"(?:目前|暂时|暫時|正在|今天|刚才|剛才|昨天|这次|這次|现在(?:还|正|是|在|已|处)|当前(?:正|还|状态|分支)|等待|挂了|宕机)",
    r"(?:現在(?:は|、|\s|編集|作業)|今のところ|今は|今日|昨日|今回|一時的|待ち(?:です|。|$)|ダウンして|落ちて|停止中|さきほど)",
    r"(?:지금|현재|오늘|어제|이번에|이번엔|당분간|일시적|내려가 있|대기 중|다운)",
)

ACTIVE_FILE: Patterns = (
    rf"\b(?:editing|working (?:in|on)|looking at|viewing|modifying|reading|debugging|touching|opened|currently in)\s(?:the (?:file )?)?`?{FILE}",
    rf"\b(?:last|recently|currently|just) (?:edited|opened|changed|touched|modified|viewed|read)\b.{{0,20}}{FILE}",
    rf"^(?:active|open|opened|changed|edited|modified|touched|current|recent)(?: files?)?\s?[:：]\s.{{0,10}}{FILE}|^files? (?:changed|touched|edited|modified|open)\b.{{0,6}}{FILE}",
    rf"\b(?:bearbeite(?:t|n)?|geöffnet|editando|modificando|abriendo|trabajando en|trabalhando em|en train (?:de modifier|d'éditer)|je modifie|édition de)\b.{{0,30}}{FILE}",
    rf"(?:正在(?:编辑|修改|查看|看)|編集中|修正中|見ている|편집 중|수정 중|작업 중).{{0,20}}{FILE}|{FILE}.{{0,12}}(?:を(?:編集|修正)(?:中|している)|(?:를|을) (?:편집|수정)|文件正在)",
)

CODE: Patterns = (
    r"^(?:export |default |async |public |private |protected |static |final |abstract |pub(?:\(\w+\))? |declare |override |inline |constexpr )*"
    r"(?:function\*?\s+\w+\s?[(<]|class\s+\w+\s?(?:[({:<]|extends\b|implements\b)|interface\s+\w+\s?(?:[{<]|extends\b)|type\s+\w+(?:<[^>]{1,60}>)?\s?=|"
    r"(?:const|let|var|val)\s+[\w{}\[\], ]+\s?(?::[^=]{1,60})?=|def\s+\w+\s?[(\[]|fn\s+\w+\s?[(<]|func\s+(?:\([^)]{1,60}\)\s?)?\w+\s?[(\[]|struct\s+\w+\s?[{(;]|"
    r"enum\s+\w+\s?\{|impl\b.{1,60}\{|trait\s+\w+|namespace\s+[\w.\\]+|module\s+\w+\s?[{=]|#include\s?[<\"]|#define\s+\w+|@\w+\(|"
    r"import\s+(?:[\w*{},\s]+\s+from\s+)?[\"'{*\w][\w./\"'{},* -]*;?$|from\s+[\w.]+\s+import\s|package\s+[\w.]+;?$|using\s+[\w.]+;|return\s+\S+;)",
    r"^(?:public|private|protected|static|void|int|string|bool|final|async)\s+[\w<>\[\], ]+\s+\w+\s?\([^)]{0,200}\)",
    r"^(?:select\s+.{1,300}\sfrom\s+\w+(?:\s+(?:where|order|group|limit|join|inner|left)\b|;|\s*$)|insert\s+into\s+\w+\s?[(\s]|update\s+\w+\s+set\s|delete\s+from\s+\w+(?:\s+where|;|$)|create\s+(?:table|index|view)\s|alter\s+table\s|drop\s+table\s)",
    r"^(?:get|post|put|patch|delete|head|options)\s+/\S*(?:\s+http/[\d.]+)?\s*$",
    r"^\w+\([^)]{0,200}\)\s?(?::|->|=>)\s?[\w<>\[\]|. ]+[;{]?$",
    r"(?:=>\s?\{|\)\s?\{|;\s?\}|\{\s?return\b|\w\(\w*\);)",
)

QUESTION: Patterns = (
    r"[?？](?:[\s)\]\"'”」』]*$|\s)",
    r"\bopen (?:question|issue|point)\b|\b(?:tbd|to be (?:decided|determined|discussed|clarified)|not (?:yet )?(?:been )?decided|undecided|unclear (?:if|whether|how|why|what)|unresolved)\b|"
    r"\bneed(?:s)? to (?:find out|decide|check (?:if|whether|with)|figure out|investigate|clarify|discuss|confirm)\b|^(?:should (?:we|i|it|the)|do we|can we|does the|is it|are we|what (?:if|about)|which|how (?:do|should|can)|why (?:do|does|is))\b.{0,200}$|"
    r"\b(?:maybe|perhaps) we (?:should|could)\b|\bwondering (?:if|whether)\b|\bnot sure (?:if|whether|yet|how|why)\b",
    r"\b(?:offene frage|noch (?:offen|nicht entschieden|unklar|zu klären)|ist (?:unklar|ungeklärt)|sollen wir|müssen wir noch)\b",
    r"\b(?:pregunta abierta|por decidir|aún no (?:está|se ha|hemos)|todavía no (?:está|se ha|hemos)|falta decidir|no está claro)\b|¿",
    r"\b(?:question ouverte|à (?:décider|voir|confirmer|clarifier)|pas encore (?:décidé|tranché)|faut-il|devrait-on|reste à (?:décider|voir))\b",
    r"\b(?:questão em aberto|a (?:decidir|definir|confirmar)|ainda não (?:está|foi|decidimos|sabemos)|falta decidir|não está claro|será que)\b",
    r"是否(?:要|应|應|需)|要不要|还没(?:有)?(?:决定|确定)|還沒(?:有)?決定|尚未(?:决定|決定|确定|確定)|待定|待确认|未决|不确定|(?:吗|呢)[。？?]?$|怎么办",
    r"べきか|(?:まだ|未だ)(?:決ま|決め|未定)|未定|未決|要検討|検討中|(?:です|ます|だろう|でしょう)か[。？?]?$|どうするか|か(?:は|、)?(?:まだ|未)",
    r"(?:할까|될까|일까|는지|은지|ㄹ까|까요|나요|습니까)[?？.]?$|미정|아직 (?:결정|정해|확정)|결정되지 않|검토 중|확인이? 필요",
)

TRANSIENT_BUG: Patterns = (
    r"\bstill (?:fails?|failing|failed|broken|breaks|crash(?:es|ing)?|flaky|hangs?|occurs?|happens?|there|not working|debugging|investigating)\b",
    r"\b(?:fails?|breaks?|crashes|hangs?|works) (?:only )?on (?:my|your|his|her|\w+'s) (?:machine|laptop|computer|box)\b|\b(?:can(?:not|'t)|could not|couldn't|unable to) reproduce\b|\b(?:root )?cause (?:is )?(?:still |yet )?(?:unknown|unclear|not found)\b|\bno idea why\b|\bdo(?:es)? not know why\b",
    r"\b(?:is|are) (?:still |again |currently )?(?:failing|broken|crashing|flaky|hanging|not working)\b|\b(?:investigating|debugging|looking into) (?:the|a|why|an)\b|\bkeeps? (?:failing|crashing|hanging|timing out|breaking)\b",
    r"\b(?:temporary|quick|dirty|interim) (?:workaround|hack|fix)\b|\b(?:comment(?:ed)? out|disabled?|skip(?:ped)?) .{1,60}\buntil\b|\bsuspect(?:ed)? (?:a|that|the)\b.{0,60}\b(?:leak|race|bug|regression)\b",
    r"\b(?:tritt|treten|schlägt|schlagen|stürzt|hängt) (?:immer noch|weiterhin|noch immer|wieder|manchmal|sporadisch)\b|\bursache (?:ist )?(?:noch )?(?:unklar|unbekannt|nicht gefunden)\b|\bnicht reproduzier(?:bar|en)\b|\bimmer noch (?:kaputt|defekt|rot)\b|\bweiß nicht,? warum\b",
    r"\bsigue(?:n)? (?:fallando|apareciendo|sin funcionar|roto|ocurriendo|dando)\b|\bno (?:sé|sabemos) por qué\b|\bcausa (?:aún |todavía )?(?:desconocida|no encontrada)\b|\bno (?:puedo|se puede|podemos) reproducir\b|\bfalla (?:a veces|aún|todavía|desde)\b",
    r"\b(?:échoue|plante|bloque)(?:nt)? (?:encore|toujours|parfois|depuis|à nouveau)\b|\bcause (?:est )?(?:encore |toujours )?inconnue\b|\b(?:impossible|pas) (?:de |à )?reprodui(?:re|t)\b|\b(?:ne sais|sait|savons) pas pourquoi\b",
    r"\b(?:ainda|continua|segue) (?:falha(?:ndo)?|quebrad[oa]|ocorre(?:ndo)?|aparec\w+|com erro|sem funcionar|travando)\b|\bcausa (?:ainda )?(?:desconhecida|não encontrada)\b|\bnão (?:sei|sabemos) (?:o )?por ?qu[eê]\b|\bnão (?:consigo|conseguimos|dá para) reproduzir\b",
    r"(?:仍然?|还是|還是|依然|一直)(?:失败|失敗|报错|報錯|出错|崩溃|不行|有问题)|(?:仍|还|還)在(?:调试|調試|排查|调查)|原因(?:不明|未知|还没|還沒)|没有?找到原因|無法重現|无法(?:复现|重现)",
    r"まだ(?:失敗|落ち|再現|直って|動か|解決して)|原因(?:は|が)?(?:不明|未特定|わから|分から|調査中)|調査中|再現でき(?:ない|ません)|時々(?:失敗|落ち)",
    r"(?:아직|여전히|계속) (?:실패|오류|발생|안 ?됨|안 ?된|재현|고쳐지지|멈)|원인(?:을|은|이)? ?(?:불명|모르|알 수 없|아직|파악)|재현(?:이|할 수)? ?(?:안|없|불가)|조사 중|디버깅 중",
)

DEPLOYED: Patterns = (
    r"\b(?:deployed|live|rolled out|released|published|running|promoted|shipped|is|was|serves?|serving|active|canary|went)\b.{0,60}\b(?:v?\d+\.\d+\.\d+[\w.-]*|rev_\w{6,}|build-\w{6,}|release-\w{6,}|[a-z]+-[0-9a-f]{8,}(?:-\w{5})?)\b.{0,60}\b(?:production|prod|staging|canary|preview|traffic|live|since|at \d|today)\b",
    r"\b(?:v?\d+\.\d+\.\d+[\w.-]*|rev_\w{6,}|build-\w{6,}|release-\w{6,}|revision \S+)\b.{0,60}\b(?:deployed|live on|rolled out|serves|serving|is (?:now )?(?:on|in|live)|desplegad[oa]|déployée?|ausgerollt|deployt|implantad[oa]|publicad[oa])\b",
    r"\b(?:deployed|rolled out|desplegad[oa]|déployée?|ausgerollt|deployt|implantad[oa])\b.{0,60}(?:\b\d{1,2}:\d\d\b|\b(?:rev|build|release)[_-]\w{5,}|\bsha\b|v?\d+\.\d+\.\d+)",
    r"\b(?:latest|newest|current|last) (?:release|build|deployment|revision) is\b|\bpreview (?:is|url|link|deployment)\b.{0,20}https?://|https?://[\w.-]{0,80}(?:preview|deploy-preview|vercel\.app|netlify\.app|ngrok|trycloudflare)[\w.-]{0,40}",
    r"(?:部署|上线|上線|发布|發布).{0,20}(?:v?\d+\.\d+\.\d+|rev_\w+|build-\w+|\d{1,2}:\d\d)|(?:v?\d+\.\d+\.\d+|rev_\w+|build-\w+).{0,30}(?:已部署|部署到|已上线|上线了|已发布)",
    r"(?:v?\d+\.\d+\.\d+|rev_\w+|build-\w+|\d{1,2}:\d\d).{0,30}(?:デプロイ(?:した|しました|済)|リリース(?:した|しました|済)|公開(?:した|しました))",
    r"(?:v?\d+\.\d+\.\d+|rev_\w+|build-\w+|\d{1,2}:\d\d).{0,30}(?:배포(?:했|됐|되었|함)|릴리스(?:했|됐))",
)

_OLD = r"(?:(?:all|any|the|of|your|my|our|these|those|its) )*(?:previous|prior|earlier|above|preceding|foregoing|former|existing|system|developer|safety|security|original|initial|other|user(?:'s)?)"
_ORDERS = r"(?:\w+ )?(?:instructions?|rules?|guidance|prompts?|directives?|guidelines?|messages?|polic(?:y|ies)|constraints?|restrictions?|orders?|commands?|context|safeguards?)"

INJECTION: Patterns = (
    rf"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|drop|skip|violate|supersede)s?\b.{{0,30}}?\b{_OLD} {_ORDERS}\b",
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all|any|your|every) (?:instructions?|prompts?|directives?|guidelines?|safeguards?|of (?:the|your) (?:above|instructions))\b|\b(?:ignore|disregard|forget) (?:everything|all|anything) (?:above|before|you (?:were|have been) told|said before)\b",
    r"\byou are (?:now |no longer |hereby )(?:in |a |an |the |bound|called|not|free|allowed|permitted|authori[sz]ed|acting|running|[A-Z]{3})|\b(?:system|safety|security) rules (?:no longer|do not|don't) apply\b|\b(?:maintenance|developer|god|debug|admin|unrestricted|jailbreak|dan) mode\b.{0,40}\b(?:rules|restrictions|enabled|now|on|active|apply)\b|\bjailbreak\b|\b(?:act|behave|respond) as (?:if you|an unrestricted|root|admin)\b|\bpretend (?:to be|that you|you are)\b",
    r"^\W{0,4}\[?(?:system|assistant|human|developer)\]?\s?(?:message|prompt|note|override|notice|instruction)?\s?[\]:>]\s?\S|\[(?:system|inst|/inst|sys)\]|<<sys>>|<\|?(?:im_start|im_end|system|endoftext)|</?(?:system|system-reminder|workspace_memory|core_memory|working_memory|instructions?|assistant|human|function_calls?|tool_result|tool_use|antml)\b[^<>]{0,60}>",
    r"\b(?:exfiltrat\w+|smuggle)\b|\b(?:leak|send|upload|post|forward|transmit|e-?mail|copy|report|submit|push|append|include)s?\b.{0,80}\b(?:\.env|~/\.ssh|\.ssh|id_rsa|secrets?|credentials?|api keys?|private keys?|tokens?|passwords?|environment variables?|contents? of|conversation|transcript|memory file|source code)\b.{0,60}\b(?:to|at|via|with)\b.{0,10}(?:https?://|\S+@\S+|\S+\.\w{2,}/|the (?:address|server|url|endpoint|given|following)|an external)",
    r"\bwithout (?:telling|informing|asking|notifying|alerting|mentioning (?:it|this) to|showing|the (?:user|developer)(?:'s)? (?:knowledge|knowing|consent|approval|confirmation)|user (?:confirmation|approval|consent|permission)|(?:any )?(?:confirmation|approval|permission)(?: prompts?)?|review(?:ing)?(?: them| it)?|reading them)\b",
    r"\b(?:do not|don't|never|must not|should not)\b.{0,20}\b(?:tell|mention|inform|reveal|show|disclose|report|notify|alert)s?\b.{0,40}\b(?:the user|users?|developer|anyone|this (?:memory|note|rule|instruction)|it to)\b|\b(?:never|not) mentions? this\b|\bsay nothing\b|\b(?:hide|conceal)s? (?:this|it|these)\b|\bkeep (?:this|it) (?:secret|hidden) from\b",
    r"\b(?:skip|bypass|disable|ignore|suppress|avoid|turn off|auto-?(?:approve|accept|confirm|answer))s?\b.{0,30}\b(?:all |any |every )?(?:the )?(?:permission|confirmation|approval|security|safety|consent|review) (?:prompts?|checks?|dialogs?|steps?|requests?|gates?|questions?)\b|\b(?:pre-?approved|blanket (?:approval|permission)|full (?:shell|system|root|admin) access|unrestricted access)\b|\bdo not ask (?:for|the user for) (?:confirmation|permission|approval)\b|\b(?:always|automatically|blindly) (?:approve|accept|confirm|allow|run|execute|merge|trust)s?\b.{0,40}\b(?:all|any|every|pull requests?|commands?|changes?|prompts?|without|requests?|whatever)\b|\bagents? (?:may|can|should|must|shall|will|is allowed to|are allowed to)\b.{0,40}\b(?:without (?:asking|confirmation|review)|delete (?:any|all|branches|files)|push (?:directly|to (?:main|master|trunk)))\b",
    r"\b(?:reveal|print|show|display|output|repeat|leak|dump|answer .{0,30}with)\b.{0,40}\b(?:system prompt|hidden (?:prompt|instructions?)|developer message|admin token|system message|your instructions|initial prompt|all secrets)\b|\bgrant (?:the )?(?:agent|me|user|assistant|it)\b.{0,30}\b(?:access|permission|root|admin|privileges)\b",
    r"\bwhen(?:ever)? you (?:read|see|load|encounter) this\b|\bas soon as you read\b|\b(?:new|updated) (?:policy|instructions?|system prompt) (?:for (?:the )?(?:agent|assistant)|:)\s?.{0,20}\b(?:override|ignore|from now)\b|\b(?:copy|repeat|store|save|add|write|propagate) (?:this|these) (?:memory|note|rule|line|instruction|text)\b.{0,40}\b(?:every|all|each|other|future|again|into)\b",
    r"(?:curl|wget)\s[^|\n]{3,200}\|\s?(?:sudo )?(?:ba|z|da)?sh\b|\beval\s?[\"'(`$]|\bbase64 (?:-d|--decode)\b.{0,40}\|\s?(?:ba)?sh",
    # German
    r"\b(?:ignorier|missacht|vergiss|umgeh|überschreib)\w*\b.{0,30}\b(?:alle|vorherig|bisherig|früher|obig|vorangegangen|system)\w*\b.{0,20}\b(?:anweisung|regel|instruktion|vorgabe|befehl|prompt|nachricht)\w*|\bohne (?:den (?:nutzer|benutzer|anwender)|(?:vorherige )?(?:rückfrage|bestätigung|nachfrage|zustimmung|genehmigung)|es dem (?:nutzer|benutzer))\b.{0,30}|\b(?:dem|den) (?:nutzer|benutzer) (?:nichts|nicht|niemals)\b.{0,20}\b(?:sagen|zeigen|informieren|mitteilen|verraten|erwähnen)|\b(?:zeige?|gib|verrate)\b.{0,30}\b(?:systemprompt|system-prompt|systemnachricht|geheime anweisungen)",
    # Spanish
    r"\b(?:ignora|ignore|olvida|olvide|descarta|omite|desobedece)\w*\b.{0,30}\b(?:instruccion|regla|indicacion|directriz|orden|mensaje)\w*.{0,20}\b(?:anterior|previ|del sistema|de arriba)\w*|\b(?:ignora|olvida) (?:todo lo anterior|todas las (?:reglas|instrucciones))|\bsin (?:preguntar(?:le)?(?: al usuario)?|avisar(?: al usuario)?|(?:pedir )?(?:confirmación|permiso|autorización)(?: del usuario)?|informar al|que el usuario)\b|\b(?:ocult|escond)\w+\b.{0,30}\b(?:nota|memoria|usuario|instrucción)|\b(?:muestra|revela|imprime)\b.{0,30}\b(?:mensaje del sistema|prompt del sistema|instrucciones ocultas)|\b(?:aprobará|aprueba|aprobar|ejecuta|ejecutará) (?:siempre |automáticamente )?(?:cualquier|todo|todos)\b.{0,30}\b(?:comando|cambio|orden|solicitud)",
    # French
    r"\b(?:ignor|oubli|néglig|contourn|outrepass)\w*\b.{0,30}\b(?:instruction|consigne|règle|directive|ordre|message)s?\b.{0,20}\b(?:précédent|antérieur|ci-dessus|système|cachée)\w*|\bsans (?:prévenir|avertir|informer|demander|le dire|(?:la )?(?:confirmation|permission|autorisation|l'accord))\b.{0,30}(?:utilisateur|confirmation|permission|$)|\b(?:affiche|montre|révèle|divulgue)\b.{0,30}\b(?:instructions cachées|prompt système|message système|invite système)|\b(?:envoie|transmets|exfiltre)\b.{0,60}(?:\.env|\.ssh|secrets?|jetons?|mots? de passe|fichier)\b.{0,40}\b(?:à|vers)\b|\bquand tu lis ceci\b|\bcache(?:r|z)? (?:cette|ceci|ce)\b",
    # Portuguese
    r"\b(?:ignor|esqueç|desconsider|desobedeç|contorn)\w*\b.{0,30}\b(?:instruç|regra|orientaç|diretriz|mensage|ordem|ordens)\w*.{0,20}\b(?:anterior|prévi|do sistema|acima)\w*|\bsem (?:perguntar|avisar|informar|pedir (?:confirmação|permissão)|(?:a )?confirmação|permissão|autorização|que o usuário)\b|\b(?:mostre|revele|exiba|imprima)\b.{0,30}\b(?:prompt do sistema|mensagem do sistema|instruções ocultas)|\b(?:ocult|escond)\w+\b.{0,30}\b(?:nota|memória|usuário)|\b(?:aprov|execut)\w+ (?:sempre |automaticamente )?(?:qualquer|todos os) (?:comando|pedido)",
    # Chinese
    r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|绕过|繞過|覆盖).{0,8}(?:之前|以前|上述|以上|先前|前面|所有|全部|系统|系統).{0,8}(?:指令|指示|规则|規則|提示|命令|要求|限制)|(?:无需|無需|不需要|不必|不用|未经|未經|跳过|跳過|绕过).{0,4}(?:用户|使用者|用戶|人工)?(?:的)?(?:确认|確認|同意|许可|許可|批准|授权|授權|审批|审核)|(?:不要|别|勿|不得)(?:告诉|告訴|通知|提醒|让)(?:用户|使用者|用戶)|(?:显示|顯示|输出|輸出|泄露|打印)(?:系统|系統)(?:提示|消息|指令)|(?:发送|發送|上传|上傳).{0,12}(?:密钥|令牌|密码|\.env|凭据).{0,12}到|隐藏(?:这|此)",
    # Japanese
    r"(?:以前|これまで|上記|前|すべて|全て|過去|システム)の.{0,6}(?:指示|命令|ルール|規則|プロンプト|制約|メッセージ).{0,6}(?:無視|忘れ|破棄|上書き|従わ)|(?:ユーザー|利用者)(?:の|に|へ).{0,6}(?:確認|承認|許可|同意|通知|報告|知らせ|断り).{0,6}(?:なし|無し|せず|ずに|なく|不要|しない|求めず)|(?:確認|承認|許可)(?:なし|無し|を求めず|せず)(?:に|で).{0,20}(?:実行|削除|承認|変更)|システムプロンプト(?:を|の)?.{0,6}(?:表示|出力|開示|見せ)|(?:秘密|トークン|認証情報|\.env).{0,10}(?:送信|アップロード)",
    # Korean
    r"(?:이전|앞의|위의|모든|기존|시스템).{0,6}(?:지시|명령|규칙|프롬프트|지침|제약).{0,8}(?:무시|잊|따르지|덮어)|(?:사용자|유저)(?:에게|의|한테)?.{0,6}(?:확인|승인|동의|허락|알림|알리).{0,4}(?:없이|없어도|말고|지 말|지 않|받지)|(?:확인|승인|허락|허가)(?:을|를)? ?(?:없이|구하지 않|받지 않|생략).{0,20}|묻지 (?:말고|않고).{0,20}(?:실행|삭제|승인)|시스템 프롬프트(?:를|을)?.{0,6}(?:출력|표시|보여|공개)|(?:토큰|비밀번호|인증 ?정보|\.env).{0,10}(?:전송|업로드|출력하)",
)

NEVER_BEFORE: Patterns = (
    r"\b(?:never|not|don't|must(?:n't| not)|may not|no (?:one|agent)|nobody|nie|niemals|nicht|keine?|nunca|no|jamais|ne|não|jamás|refus\w+|forbidden)\b[^.;:]{0,50}$",
    r"(?:不得|禁止|不要|绝不|不能|不可)[^。；]{0,16}$",
)
"""In front of "without asking": a rule that forbids it, the opposite of an order."""

PREFERENCE: Patterns = (
    r"\b(?:user|he|she|they|team|reviewers?|dana|i|we)\b.{0,20}\b(?:prefers?|likes?|wants?|dislikes?|hates?|works in|expects?|needs?|insists?|cares?|loves?|appreciates?|is fine with|rejects?)\b|\bpreferences?\b|\b(?:please|must|should|never|always|avoid|prefer|do not|don't|only|instead of|rather than|without|unless|before|no more|at most|not)\b",
)

REPORT: Patterns = (
    r"^(?:the |a )?(?:user|customer|client|he|she|they|developer|someone)\b.{0,20}\b(?:asked|said|reported|mentioned|requested|ran|opened|wondered|told|pasted|shared|wrote|tried|noticed|complained|thanked|confirmed)\b",
    r"\b(?:this time|last time|today|yesterday|diesmal|heute|gestern|esta vez|hoy|ayer|cette fois|aujourd'hui|desta vez|hoje|ontem)\b|这次|今天|昨天|今回|今日|昨日|이번에|오늘|어제",
    r"\b(?:der|die) (?:nutzer|benutzer|anwender)(?:in)? (?:hat |fragte|wollte wissen|bat)|\bel usuario (?:preguntó|pidió|dijo|ha preguntado|quería saber)|\bl'utilisat(?:eur|rice) (?:a (?:demandé|dit|posé)|voulait)|\bo usuário (?:perguntou|pediu|disse)|用户(?:问|询问|要求了|说了)|使用者(?:問|詢問)|ユーザー(?:が|は).{0,20}(?:質問した|尋ねた|聞いた|依頼した)|사용자(?:가|는).{0,20}(?:물었|질문했|요청했|문의했)",
)

STATEMENT_START = (
    r"^(?:the|this|that|these|those|there|it|its|a|an|our|some|several|two|three|both)\s"
)
"""English feedback that begins so describes the world, not how to work."""

EVENT: Patterns = (
    r"\b(?:was|were|has been|have been|got|is being) (?:\w+ly )?(?:moved|renamed|changed|postponed|scheduled|rescheduled|cancelled|canceled|discussed|mentioned|shown|presented|asked|reviewed|extracted|deleted|removed|opened|closed|updated|added|read|sent|invited|cleaned)\b",
    r"^(?:read|reviewed|discussed|talked|met|looked|checked|asked|explained|showed|summari[sz]ed|listed|explored|analy[sz]ed|searched|opened|renamed|moved|extracted|ran|tried|went|had|got|saw|noticed|thought|found|noted|made|took|gave|answered|compared|studied)\s(?:the|a|an|at|about|through|with|some|all|that|into|over|up|user|two|three|notes|options)\b",
    r"^(?:the |a )?(?:user|customer|client)\b.{0,20}\b(?:asked|said|reported|mentioned|requested|wondered|told|pasted|shared)\b",
    r"\bwurden? .{0,80}\b(?:umbenannt|verschoben|geändert|besprochen|gelöscht|entfernt|aktualisiert|abgesagt|hinzugefügt|vertagt)\b|\b(?:der|die) (?:nutzer|benutzer)(?:in)? (?:hat .{0,60}gefragt|fragte|bat)\b",
    r"\b(?:se (?:movió|renombró|cambió|aplazó|canceló|discutió)|fue(?:ron)? (?:movid|renombrad|cambiad|aplazad|cancelad|discutid|eliminad)[oa]s?|el usuario (?:preguntó|pidió|dijo))\b",
    r"\b(?:a|ont) été (?:renommée?s?|déplacée?s?|changée?s?|reportée?s?|annulée?s?|discutée?s?|supprimée?s?|modifiée?s?)|l'utilisat(?:eur|rice) a (?:demandé|dit|posé)",
    r"\b(?:foi|foram) (?:movid|renomead|alterad|adiad|cancelad|discutid|removid)[oa]s?\b|\bo usuário (?:perguntou|pediu|disse)\b",
    r"(?:改名|重命名|移动|移動|推迟|推遲|取消|讨论|討論|更改)(?:为|為|到|至)?.{0,20}了|用户(?:问|询问|要求)了?|会议(?:改|移|推)",
    r"(?:変更|移動|改名|延期|中止|議論|削除)(?:された|されました|した|しました)(?:。|$)|ユーザー(?:が|は).{0,20}(?:質問|尋ね|依頼)(?:した|しました)",
    r"(?:변경|이동|연기|취소|논의|삭제)(?:되었|됐|했|하였)|사용자(?:가|는).{0,20}(?:물었|질문했|요청했)",
)

CHOICE: Patterns = (
    r"\b(?:because|chose|chosen|decid\w+|instead of|rather than|agreed|must|never|always|only|so that|in favou?r of|we (?:use|keep|store|do not|don't|will)|policy|rule)\b|weil|damit|entschieden|porque|para (?:que|no)|decid|parce que|afin|décidé|pour (?:que|ne)|因为|决定|決定|ため|決め|결정|때문",
)
