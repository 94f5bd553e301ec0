# ruff: noqa: E501  One row, one way of saying it.
"""Phrases that ask to keep something, in sixteen languages (EX-1).

Rows are (language, pattern): re2, matched without case at the first word of a line, after
"please", "also", bullets and similar leads. The text after the match is the memory; if the
pattern has a group, that group is the memory instead. Data only:
`opening_requests` and `forgets` decide.
"""

from __future__ import annotations

Rows = tuple[tuple[str, str], ...]

_SEP = r"\s*[,:;.、：，。；!！—-]+\s*"
"""Separator between the trigger and its text."""

LEADS = (
    r"(?:please|pls|plz|kindly|@\w+|do|hey|hi|hello|ok(?:ay)?|oh|so|and|also|well|btw|by the way|one more thing|fyi|important|"
    r"additionally|finally|actually|just|but|then|now|agent|claude|assistant|"
    r"(?:great|good|nice|perfect|cool|super|awesome|lgtm|thanks|thank you|thx|cheers|danke|gut|gracias|merci|obrigad[oa])[.!]|"
    r"(?:awesome|lgtm|thanks|thank you|thx|cheers|danke|gracias|merci|obrigad[oa]) ?[,–—-]|"
    r"bitte|übrigens|außerdem|und|auch|also|ach ja|hallo|noch etwas|wichtig|"
    r"por favor|además|también|y|oye|ah|importante|"
    r"s'il (?:te|vous) pla[iî]t|stp|svp|et|aussi|au fait|de plus|"
    r"além disso|também|e|aliás|ah|"
    r"好的|收到|明白|请|請|麻烦你?|麻煩你?|请注意|請注意|注意|另外|还有|還有|对了|對了|顺便|帮我|幫我|务必|務必|一定要|你要|"
    r"あと|それと|それから|ちなみに|では|なお|ところで|"
    r"그리고|참고로|아|또|추가로|제발|꼭)(?:\s*[,:!，：、！]\s*|\s+|(?:))"
)
"""Words that may precede a trigger."""

LASTING: Rows = (
    ("en", r"(next time you \w[^,]*, \w.+)"),
    ("en", r"(?:the )?next time,? ((?:please|pls|don'?t|do not|never|always|first|ask|check|use|run|test|make sure)\s.+)"),
    ("de", r"(?:beim |das )?nächste[sn]? mal,? ((?:bitte|erst|zuerst|nicht|kein\w*|nie|niemals|immer|frag\w*|nimm|nutze?|benutze?|mach)\s.+)"),
    ("es", r"(?:para )?la próxima(?: vez)?,? ((?:por favor|no|nunca|siempre|primero|pregunta\w*|usa|haz|revisa)[\s,].+)"),
    ("fr", r"(?:pour )?la prochaine fois,? ((?:merci de|s'il te plaît|ne|jamais|toujours|d'abord|demande\w*|utilise\w*|vérifie\w*|fais)[\s,].+|n'.+)"),
    ("pt", r"(?:d|n|para )a próxima(?: vez)?,? ((?:por favor|não|nunca|sempre|primeiro|pergunt[ae]|us[ae]|faça|verifi\w+)[\s,].+)"),
    ("it", r"(?:la )?prossima volta,? ((?:per favore|non|mai|sempre|prima|chiedi\w*|usa|fai|controlla)[\s,].+)"),
    ("nl", r"(?:de )?volgende keer,? ((?:graag|niet|geen|nooit|altijd|eerst|vraag|gebruik|doe)\s.+)"),
    ("sv", r"nästa gång,? ((?:snälla|inte|aldrig|alltid|först|fråga|använd)\s.+)"),
    ("pl", r"następnym razem,? ((?:proszę|nie|nigdy|zawsze|najpierw|zapytaj|użyj|sprawdź)\s.+)"),
    ("ru", r"в следующий раз,? ((?:пожалуйста|не|никогда|всегда|сначала|спрашивай|спроси|используй|проверяй|проверь)[\s,].+)"),
    ("vi", r"lần sau,? ((?:hãy|đừng|nhớ|phải|luôn|xin)\s.+)"),
    ("zh", r"下次[，,]?((?:请|請|先|别|別|不要|一定).+)"),
    ("en", r"(?:from now on|from here on(?: out)?|from this point on(?:ward)?|henceforth|hereafter|going forward|in (?:the )?future sessions|(?:starting|as of|effective) (?:now|today|immediately)|from today(?: on)?)(?:\s*[,:;—–-]+\s*|\s+)(?:please )?"),
    ("de", r"(?:ab jetzt|ab sofort|von jetzt an|von nun an|ab heute|künftig|zukünftig|in zukunft|fortan)(?:\s*[,:;—–-]+\s*|\s+)(?:bitte )?"),
    ("es", r"(?:a partir de (?:ahora|hoy)|de (?:ahora|hoy) en adelante|desde ahora|de aquí en adelante|en adelante|en el futuro|en lo sucesivo)(?:\s*[,:;—–-]+\s*|\s+)(?:por favor,? )?"),
    ("fr", r"(?:désormais|dorénavant|à partir de maintenant|à partir d'aujourd'hui|à l'avenir|dès (?:maintenant|aujourd'hui)|dès à présent)(?:\s*[,:;—–-]+\s*|\s+)"),
    ("pt", r"(?:a partir de (?:agora|hoje)|de agora em diante|daqui (?:em|para a?) ?(?:diante|frente)|daqui pra frente|doravante|no futuro|de hoje em diante)(?:\s*[,:;—–-]+\s*|\s+)(?:por favor,? )?"),
    ("ja", r"(今後の[^。]+は.+)"),
    ("ja", r"(?:今後は|今後|これからは|これから先は|以後は|以降は|今から|今日からは|本日からは|次回からは|次から)(?:\s*[:：,，、]+\s*|\s*)"),
    ("zh", r"(?:[从從](?:[现現]在(?:[开開]始|起)|今天起|今(?:以|往)[后後])|今[后後]|以[后後]|往[后後]|日[后後]|此[后後])(?:的话)?(?:\s*[:：,，、]+\s*|\s*)(?:请|請|都请)?"),
    ("ko", r"(?:앞으로는?|이제부터는?|지금부터는?|이제는|향후에는?|향후|다음부터는?|오늘부터는?)(?:\s*[:：,，]+\s*|\s+)"),
    ("it", r"(?:d'ora in (?:poi|avanti)|da (?:ora|adesso|oggi) in (?:poi|avanti)|in futuro)(?:\s*[,:;—–-]+\s*|\s+)"),
    ("nl", r"(?:vanaf (?:nu|vandaag)|van nu af aan|voortaan|in het vervolg)(?:\s*[,:;—–-]+\s*|\s+)"),
    ("sv", r"(?:från och med (?:nu|idag)|hädanefter|framöver|i fortsättningen)(?:\s*[,:;—–-]+\s*|\s+)"),
    ("pl", r"(?:od (?:teraz|dziś|dzisiaj|tej pory)|odtąd|w przyszłości)(?:\s*[,:;—–-]+\s*|\s+)"),
    ("ru", r"(?:с этого момента|с этих пор|с сегодняшнего дня|отныне|впредь|на будущее|в будущем)(?:\s*[,:;—–-]+\s*|\s+)"),
    ("tr", r"(?:bundan (?:sonra|böyle)|(?:şu andan|bugünden) itibaren)(?:\s*[,:;—–-]+\s*|\s+)"),
    ("vi", r"(?:(?:kể )?từ (?:giờ|nay|bây giờ)(?: trở đi| về sau)?)(?:\s*[,:;—–-]+\s*|\s+)"),
    ("ar", r"(?:من الآن فصاعد\S*|من اليوم فصاعد\S*|ابتداءً? من (?:الآن|اليوم))(?:\s*[،,:;—–-]+\s*|\s+)"),
    ("hi", r"(?:(?:अब|आज|आगे) से)(?:\s*[,:;—–-]+\s*|\s+)"),
)  # fmt: skip
"""What holds from now on; also at the start of a later sentence of a line."""

ASKS: Rows = (
    *LASTING,
    ("en", r"(?:can|could|would|will) you (?:please |kindly |also )?(?:remember|note|memori[sz]e|keep in mind|make a note)(?: for (?:me|later|next time))? that\s+"),
    ("en", rf"i(?:'d like| would like| want| need) you to (?:always )?(?:remember|keep in mind|note|memori[sz]e)(?: that\s+|{_SEP})"),
    ("en", r"(?:you (?:should|must|need to|have to|are to|will need to)|(?:please )?(?:make|be) sure (?:to|you)|i need you to|let's|it(?:'s| is) (?:very )?important (?:that you|to)) (?:always )?(?:remember|keep in mind|note)(?:,? that\s+|(?: this)?\s*[:：]\s*)"),
    ("en", r"(?:always )?(?:remember|memori[sz]e)(?: (?:this|that|it|the following))?(?: (?:for|in) (?:the future|future (?:sessions|reference|conversations)|next time|later(?: sessions)?|next sessions?|all sessions))?\s*[:：]\s*"),
    ("en", r"(?:always )?(?:remember|memori[sz]e)(?: for (?:the future|future sessions|next time|later))?,? that\s+"),
    ("en", r"(?:always )?(?:remember|memori[sz]e|note)(?: down)? (?:the following|these|those|two|three|four|five|some|a few|a couple of) (?:\w+ ){0,2}?(?:things?|rules?|facts?|points?|notes?|conventions?|preferences?|decisions?|details?|items?)(?: for (?:later|next time|the future|future sessions))?\s*[:：]\s*"),
    ("en", r"remember\s*[,;—–-]\s*"),
    ("en", r"(?:i want you to )?remember ((?:we|i|our|my|the user|never|always|not to|to (?:always|never)|he|she|they|it)\b.*)"),
    ("en", r"(?:keep|bear|have) (?:this |it |the following )?in mind(?: for (?:later|the future|next time|(?:all )?(?:future|later) \w+))?(?: that\s+|\s*[:：]\s*)"),
    ("en", r"(?:save|add|store|write|put|commit|record|log) (?:(?:this|that|it|the following) )?(?:fact |note |rule )?(?:to|in|into) (?:your |the |our |long[- ]term |project |workspace |permanent )*memory(?:\s*[:：,—–-]+\s*|,? that\s+| the fact that\s+)"),
    ("en", r"(?:write|jot|note|put|get) (?:this|that|it|the following) down\s*[:：,—–-]+\s*"),
    ("en", r"(?:make|take|leave) (?:a |yourself a )?(?:mental )?note(?: of (?:this|the following))?(?:\s*[:：,]\s*| that\s+)"),
    ("en", r"(?:an? )?(?:quick |short |small |important )?(?:note|reminder|remark|heads[- ]?up|info|tip|rule) (?:for|to) (?:later|future|next|the next|all|your|memory|yourself|self)(?: (?:sessions?|conversations?|runs?|reference|time))?\s*[:：,]\s*"),
    ("en", r"for (?:future reference|future sessions|the future|next time|later sessions|later reference|your memory|the record)\s*[:：,]\s*"),
    ("en", rf"(?:(?:a|one|another|some|two) )?(?:things?|points?) to (?:remember|note|keep in mind|bear in mind)(?: that\s+|{_SEP})"),
    ("en", r"(?:project |new |house |general )?(?:rule|convention)\s*[:：]\s*"),
    ("en", r"[/#]remember[:：]?\s+"),
    ("en", r"((?:my (?:strong |general )?preference is|i(?: always| generally| strongly| usually)? prefer|i(?: always| never) want (?:you|all|the)|i hate it when|i (?:really )?(?:dis)?like it when)\b.*)"),
    ("en", r"((?:always|never)\b.*\b(?:ask me|ask first|tell me|unless i|without (?:asking|my)|check with me|let me know)\b.*)"),
    # German
    ("de", r"merk(?:e|t)? (?:dir|euch)(?: bitte)? (?:das|dies|folgendes)(?: bitte)?(?: (?:für (?:später|die zukunft|künftige sitzungen|das nächste mal)|fürs nächste mal))?\s*[:：]\s*"),
    ("de", r"(?:(?:das|dies|folgendes) )?(?:dir |sich )?merken(?:\s*[:：]\s*|\s*,?\s*(?:dass|daß)\s+)"),
    ("de", r"(?:(?:projekt|neue |haus)?regel|konvention)\s*[:：]\s*"),
    ("de", r"(?:kannst|könntest|würdest) du dir (?:bitte )?merken,? (?:dass|daß)\s+"),
    ("de", r"(?:behalte?n?|halte?n?)(?: sie)?(?: bitte)?(?: dies| das)? (?:im kopf|im hinterkopf|im gedächtnis|in erinnerung|im auge)(?:\s*[:：]\s*|\s*,?\s*(?:dass|daß)\s+)"),
    ("de", r"denk(?:e|en|t)? (?:sie )?(?:bitte )?(?:immer )?(?:daran|dran)(?:\s*[:：]\s*|\s*,?\s*(?:dass|daß)\s+)"),
    ("de", r"(?:notiere?n?|notier|schreib(?:e|en)?|vermerke?n?|speichere?|speichern|nimm|merke?)(?: sie)?(?: dir| sich)?(?: bitte)?(?: (?:das|dies|folgendes))?(?: (?:auf|im gedächtnis|in den speicher|ins gedächtnis|in der erinnerung))?(?:\s*[:：]\s*|\s*,?\s*(?:dass|daß)\s+)"),
    ("de", r"beachte?n?(?: sie)?(?: bitte)? (?:künftig|in zukunft|immer)(?:\s*[:：]\s*|\s*,?\s*(?:dass|daß)\s+)"),
    ("de", r"(?:(?:kurze |kleine |wichtige )?(?:notiz|anmerkung) )?für(?:s protokoll| (?:später|die zukunft|künftige sitzungen|das nächste mal))\s*[:：]\s*"),
    ("de", r"((?:ich bevorzuge|ich ziehe|ich hätte gern(?:e)? immer|ich möchte (?:immer|künftig|in zukunft)|meine präferenz ist)\b.*)"),
    # Spanish
    ("es", r"(?:recuerda|recuerde|recuerden|recordad|recu[eé]rdalo|acu[eé]rdate|acu[eé]rdese)(?: siempre)?(?: esto| lo siguiente)?(?: para (?:la próxima(?: vez)?|el futuro|más adelante|futuras sesiones))?(?:\s*[:：,]\s*| (?:de )?que\s+)"),
    ("es", r"¿?(?:puedes|podrías) recordar(?:,? por favor,?)? que\s+"),
    ("es", r"(?:ten|tenga|tened|tengan)(?: siempre)?(?: esto)? (?:en cuenta|presente|en mente)(?:\s*[:：]\s*| que\s+)"),
    ("es", r"(?:no (?:te )?(?:olvides|olvide|olvidéis|olvidar)|que no se (?:te|le|os) olvide)(?: nunca)?(?:\s*[:：]\s*| (?:de )?que\s+)"),
    ("es", r"(?:guarda|guarde|guárdalo|añade|añada|almacena|registra|apunta)(?: esto| lo siguiente)? (?:en|a) (?:la |tu )?memoria(?:\s*[:：,]\s*| que\s+)"),
    ("es", r"(?:anota|anote|apunta|apunte|memoriza|memorice|toma nota|tome nota)(?: (?:de )?(?:esto|lo siguiente))?(?:\s*[:：]\s*| (?:de )?que\s+)"),
    ("es", r"(?:(?:una )?nota )?para (?:el futuro|más adelante|después|la próxima(?: vez)?|futuras sesiones)\s*[:：,]\s*"),
    ("es", r"(?:(?:nueva )?regla|convención)\s*[:：]\s*"),
    ("es", r"((?:(?:siempre )?prefiero|mi preferencia es)\b.*)"),
    # French
    ("fr", r"(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous)(?: bien)?(?: de (?:ceci|cela)| ceci| cela)?(?: pour (?:la prochaine fois|plus tard|la suite|l'avenir))?(?:\s*[:：,]\s*| qu(?:e\s+|'))"),
    ("fr", r"(?:retiens|retenez|mémorise|mémorisez|notez?|garde|gardez|enregistre|enregistrez)(?: bien)?(?: (?:ceci|cela|ça))?(?: (?:en|à l'|dans (?:ta|la|votre)) ?(?:tête|mémoire|esprit))?(?: (?:ceci|cela))?(?: pour (?:la prochaine fois|plus tard|la suite|l'avenir))?(?:\s*[:：]\s*| qu(?:e\s+|'))"),
    ("fr", r"(?:retiens|retenez|mémorise|mémorisez|notez?)(?: bien)? (?:ce qui suit|les (?:\w+ )?(?:points|règles|choses|faits|conventions) suivante?s)\s*[:：]\s*"),
    ("fr", r"(?:peux-tu|pourrais-tu|tu peux) (?:retenir|noter|mémoriser) qu(?:e\s+|')"),
    ("fr", r"(?:ajoute|ajoutez|sauvegarde|sauvegardez|mets|stocke)(?: (?:ceci|cela|ça))? (?:en|à la|dans la|dans ta) mémoire(?:\s*[:：,]\s*| qu(?:e\s+|'))"),
    ("fr", r"n'(?:oublie|oubliez) (?:pas|jamais)(?:\s*[:：,]\s*| qu(?:e\s+|'))"),
    ("fr", r"(?:je veux que tu (?:retiennes|te souviennes)|il faut retenir)(?:\s*[:：]\s*| qu(?:e\s+|'))"),
    ("fr", r"(?:(?:petite )?note )?pour (?:la suite|plus tard|la prochaine fois|l'avenir|les prochaines sessions)\s*[:：]\s*"),
    ("fr", r"(?:(?:nouvelle )?règle|convention)\s*[:：]\s*"),
    ("fr", r"((?:je préfère|ma préférence est)\b.*)"),
    # Portuguese
    ("pt", r"(?:lembra|lembre|lembrem|lembra-te|lembre-se|recorde|recorda|recorda-te)(?: sempre)?(?: disto| disso| d?isto| do seguinte)?(?: para (?:a próxima(?: vez)?|o futuro|depois|futuras sessões))?(?:\s*[:：,]\s*| (?:de )?que\s+)"),
    ("pt", r"(?:você )?(?:pode|poderia) (?:se )?lembrar (?:de )?que\s+"),
    ("pt", r"(?:tenha|tem|tenham|mantenha)(?: sempre)?(?: isto| isso)? (?:em mente|em conta|presente)(?:\s*[:：]\s*| que\s+)"),
    ("pt", r"(?:não|nunca) (?:te |se )?(?:esqueças?|esquece)(?: nunca)?(?:\s*[:：]\s*| (?:de )?que\s+)"),
    ("pt", r"(?:guarda|guarde|salve|salva|adicione|grave|grava|registre|armazene)(?: (?:isto|isso|o seguinte))? (?:na|em|à)(?: sua| tua)? memória(?:\s*[:：,]\s*| que\s+)"),
    ("pt", r"(?:anota|anote|memoriza|memorize|toma nota|tome nota|registra|registre|note)(?: (?:isto|isso|aí|de))?(?:\s*[:：]\s*| que\s+)"),
    ("pt", r"(?:(?:uma )?nota )?para (?:o futuro|depois|mais tarde|a próxima(?: vez)?|futuras sessões)\s*[:：,]\s*"),
    ("pt", r"(?:(?:nova )?regra|convenção)\s*[:：]\s*"),
    ("pt", r"((?:(?:eu )?prefiro|minha preferência é|a minha preferência é)\b.*)"),
    # Japanese
    ("ja", r"(?:(?:次回|今後|あと|将来)のために、?|忘れずに|念のため、?)?(?:これを|次を|以下を|次のことを|以下のことを)?(?:ちゃんと|必ず|しっかり|よく)?(?:覚えておいて|覚えといて|憶えておいて|覚えて|憶えて|おぼえておいて|おぼえて|記憶しておいて|記憶して|メモしておいて|メモして|記録しておいて|記録して|忘れないで|忘れないように|メモリに保存して|メモリに追加して)(?:ください|下さい|くださいね|くれ|ね|ほしい|欲しい|おいてください)?(?:\s*[:：,，、。！!]+\s*|\s+)"),
    ("ja", r"(?:メモ|覚え書き|備忘|ルール|規則)\s*[:：]\s*"),
    ("ja", r"(?:ちゃんと|必ず|しっかり|よく)?(?:覚えて|記憶して|メモして)(?:おいて)?(?:ほしい|欲しい|もらいたい|いただきたい)(?:の|ん)?(?:です|だ)?(?:が|けど|けれど)?[、,:：。]\s*"),
    ("ja", r"((?:私は|僕は|俺は|個人的には?|自分は).{1,80}(?:が好み|を好み|を好む|の方が(?:好き|いい)|のほうが(?:好き|いい)|が好き).*)"),
    ("ja", r"((?:私|僕|俺|自分)の好みは.*)"),
    # Chinese
    ("zh", r"(?:你?(?:要|需要|得|必须|必須)?)?(?:记住|記住|记得|記得|牢记|牢記|谨记|謹記|记下来|記下來|记下|記下|记一下|記一下|记录一下|記錄一下|别忘了|別忘了|别忘记|別忘記|不要忘记|不要忘記|勿忘)(?:了|喔|哦)?(?:这一?点|這一?點|这件事|這件事|这个|這個|(?:以下|下面)(?:这|這)?(?:几点|幾點|几条|幾條|规则|規則|内容|內容|事项|事項)?)?(?:\s*[:：,，。、；;!！]+\s*|\s*)"),
    ("zh", r"(?:把(?:这个|这条|以下|下面)?)?(?:保存|存|存储|写入|寫入|加入|添加|加|记录|記錄|记|記|儲存|存入)(?:到|进|進|入|至)?(?:你的|长期|長期)?(?:记忆|記憶)(?:里|中|库|裡)?(?:\s*[:：,，。；]+\s*|\s+)"),
    ("zh", r"(?:新?规则|規則|约定|約定)\s*[:：]\s*"),
    ("zh", r"((?:我(?:个人|個人)?(?:更|比较|比較)?(?:偏好|喜欢用|喜歡用|更喜欢|更喜歡|习惯用|習慣用)).*)"),
    # Korean
    ("ko", r"(?:(?:다음(?:번)?|나중|앞으로)을 위해 )?(?:이것을|이걸|이것만|다음을|이 점을|꼭|반드시|잘)?\s*(?:기억해\s?(?:줘요?|주세요|둬요?|두세요|둘 것|놔요?|놓으세요)?|기억하세요|기억하십시오|기억하도록 해|메모해\s?(?:줘요?|주세요|둬요?|두세요)?|기록해\s?(?:줘요?|주세요|둬요?)?|외워\s?(?:줘요?|둬요?)?|잊지\s?(?:마세요|말아\s?(?:줘요?|주세요)?|마십시오|마요?)|명심해요?|명심하세요|적어\s?(?:줘요?|둬요?|두세요)|메모리에 (?:저장|추가)해\s?(?:줘요?|주세요)?)(?:\s*[:：,，.。!！]+\s*|\s+)"),
    ("ko", r"((?:나는|저는|난|전|개인적으로) .{1,80}(?:선호|좋아해|좋아합|더 좋).*)"),
    ("ko", r"규칙\s*[:：]\s*"),
)  # fmt: skip

TAIL_ASKS: Rows = (
    ("ja", r"(.*?[^んりっ])(?:という?(?:こと)?(?:を|は|も)?|ことを|って|と)、?\s*(?:覚えて|憶えて|メモして)(?:ください|下さい|くださいね|くれ|ね|ほしい)?[。！!\s]*$"),
    ("ja", r"(.+?)(?:という?(?:こと)?(?:を|は|も)?|ことを|って|と|を|は)?、?\s*(?:覚えておいて|覚えといて|憶えておいて|記憶しておいて|記憶して|メモしておいて|忘れないで)(?:ください|下さい|くださいね|くれ|ね|ほしい)?[。！!\s]*$"),
    ("ko", r"(.+?)(?:(?:다|라|이라|자|냐)?는\s?(?:것|거|점|사실)(?:을|를)?|는 걸|다고|이?라고|을|를|[.。])?\s*,?\s*(?:꼭 |잘 )?(?:기억해\s?(?:줘요?|주세요|둬요?|두세요)|잊지\s?(?:마세요|말아\s?(?:줘요?|주세요)?|마)|메모해\s?(?:줘요?|주세요|둬요?)|명심해\s?(?:줘요?|주세요)?)[.。!！\s]*$"),
    ("zh", r"(.+?)[，,。;；]\s*(?:请|請|帮我|幫我|你)?(?:记住|記住|记一下|記一下|记下来|記下來)(?:这一?点|這一?點|这个|這個|这件事|它)?[。！!\s]*$"),
)  # fmt: skip
"""Triggers after the text to remember that do not need a sentence of their own; `inner_requests`
finds the others."""

NEGATIONS: Rows = (
    ("en", r"(?:(?:please |pls )?(?:do not|don't|dont|never|no need to|not to|you (?:do not|don't|needn't|need not|should not|shouldn't|must not|mustn't)(?: have to| need to)?|there is no need to|there's no need to|stop)\s+(?:(?:please|ever|you|just|also|need|have|to)\s+){0,2}?(?:remember(?:ing)?\b|memori[sz](?:e|ing)\b|(?:save|saving|store|storing|keep|keeping|add|adding|commit|record|write|note)\b.{0,30}\b(?:memory|mind|this|that|it)\b)|not (?:something|worth|anything) (?:to|you should) remember|(?:nothing|not) (?:to remember|worth remembering)|forget (?:this|that|it|about|what|the|everything)|(?:please )?(?:ignore|disregard|scrap|scratch) what (?:i|we) )"),
    ("de", r"(?:(?:bitte )?(?:merke?|notiere?|speichere?|behalte?|merken)(?: (?:dir|sie|sich|euch))*(?: (?:das|dies|es|den|die|bitte|hier))* (?:nicht|nie|bloß nicht)\b|nicht merken|(?:du )?(?:musst|brauchst|sollst)(?: du)?(?: dir)?(?: das| dies| es)? nicht |vergiss (?:das|dies|es|was|bitte)|ignorier(?:e|en sie)?,? (?:bitte,? )?was ich|(?:das )?nicht (?:speichern|notieren|behalten))"),
    ("es", r"(?:no (?:me |lo |la )?(?:recuerdes|recuerde|guardes|guarde|anotes|anote|memorices|memorice|apuntes|recordar|hace falta|es necesario|tienes que|necesitas)|olvida(?:te)? (?:esto|eso|lo|que|de)|no vale la pena)"),
    ("fr", r"(?:ne (?:retiens|retenez|mémorise|mémorisez|note|notez|garde|gardez|enregistre|enregistrez|sauvegarde) (?:pas|rien)|n'(?:enregistre|enregistrez|ajoute|ajoutez) (?:pas|rien)|(?:ce n'est )?pas (?:besoin|la peine|nécessaire|utile)|inutile de|oublie(?:z)? (?:ça|cela|ceci|ce que))"),
    ("pt", r"(?:não (?:me |o |a )?(?:lembres?|guardes?|guarda|anotes?|memorizes?|salves?|registres?|precisa|é preciso|há necessidade|é necessário)|esqueç[ae] (?:isso|isto|o que|que)|esquece (?:isso|isto))"),
    ("zh", r"(?:(?:这个|这|這個|此)?(?:请|請)?(?:不要|不用|不必|别|別|无需|無需|毋须|勿|不需要|没必要|沒必要|千万别)(?:去|再|把\S{0,12}?)?\s?(?:记住|記住|记得|記得|记下|記下|记|記|保存|存|记录|記錄|写入)|忘(?:了|记|掉)(?:这|它|那|刚才))"),
    ("ja", r".{0,30}?(?:覚え(?:なくて|ないで|る必要は|ておかなくて|ておく必要は)|記憶し(?:ないで|なくて)|メモし(?:ないで|なくて)|保存し(?:ないで|なくて)|記録し(?:ないで|なくて)|忘れて(?:ください|いい|ね|。|$))"),
    ("ko", r".{0,40}?(?:기억하지\s?(?:마|말|않)|기억할 (?:필요|거 없)|기억 ?안 ?해도|메모하지\s?(?:마|말)|저장하지\s?(?:마|말)|외우지\s?(?:마|말)|잊어\s?(?:줘|버려|도 돼|주세요))"),
)  # fmt: skip
"""Matched at the start of a line, after leads. They take precedence over every trigger."""

DEFERRALS: Rows = (
    ("en", r"^(?:(?:this|that|it)\b[ ,]*)?(?:later|some other time|tomorrow|another time|(?:when|once|as soon as|after) (?:i|we|they|he|she) (?:know|decide|are|have|has|am|get|finish|confirm)\w*)\b|^(?:this|that|it) only (?:when|once|after|if)\b|^(?:this|that|it)\b.{0,40}\b(?:but let me|not sure yet|i'll confirm|not yet|once (?:i|we))\b|^(?:this|that|it)? ?(?:next time|for now)[.!]?$"),
    ("de", r"^(?:(?:das|dies|es)\b[ ,]*)?(?:später|ein andermal|morgen|noch nicht|erst)\b|^(?:das|dies) .{0,40}(?:noch nicht|erst wenn)"),
    ("es", r"^(?:(?:esto|eso)\b[ ,]*)?(?:más tarde|después|luego|mañana|en otro momento|todavía no)\b"),
    ("fr", r"^(?:(?:ceci|cela|ça)\b[ ,]*)?(?:plus tard|une autre fois|demain|pas encore|ensuite)(?:[\s.,;!]|$)"),
    ("pt", r"^(?:(?:isto|isso)\b[ ,]*)?(?:mais tarde|depois|amanhã|outra hora|ainda não)(?:[\s.,;!]|$)"),
    ("zh", r"^再(?:记|記|说|說|议|定|看|讨论|告诉)|^(?:这个|这)?(?:以后再|之后再|稍后|稍後|晚点|晚點|再说|再說|改天|等(?:我|确认|確認)|回头)"),
    ("ja", r"(?:^後で|^あとで|後で(?:覚え|言|もう)|また言い|まだ(?:決|確定|未定|わから)|確認してから|(?:決ま|確定し|確認でき|はっきりし)(?:っ|し)?たら|^(?:あとから|今度))"),
    ("ko", r"(?:^나중에|^이따|나중에 (?:기억|말|다시)|다음에 말|아직 (?:안 |못 )?(?:확정|정해|정했|결정|모르)|^확인하고|(?:정해지|결정되|확정되|확인되)면)"),
)  # fmt: skip
"""Matched in the text after the trigger (Japanese, Korean: anywhere in the line)."""

FORGETS: Rows = (
    ("en", r"(?:you (?:can|may|should) )?(?:please )?forget the (.{3,}?) (?:rule|thing|convention|preference|agreement|decision)[.!]?$"),
    ("fr", r"oublie(?:z)? (?:le truc|la chose|l'histoire|la règle|la décision|cette histoire) (?:sur|d'|des? |du |avec|concernant)(?: ?les?| la| l')?\s*(.{3,})"),
    ("es", r"(?:por favor,? )?olvida (?:lo|la regla|la decisión) (?:de(?:l| los| las| la)?|sobre(?: los| las| el| la)?)\s+(.{3,})"),
    ("pt", r"(?:por favor,? )?(?:esqueça|esquece) (?:aquilo|isso|essa história|o negócio|a regra|a decisão) (?:d[eoa]s?|sobre(?: [oa]s?)?)\s+(.{3,})"),
    ("it", r"(?:dimentica|scorda) (?:la cosa|la storia|la faccenda|la regola|la decisione) (?:d(?:i|el|ella|ei|elle|egli|ello)|sui|sulle)\s+(.{3,})"),
    ("nl", r"vergeet (?:dat|dat gedoe|die regel|het verhaal) (?:van|over|met)(?: de| het)?\s+(.{3,})"),
    ("sv", r"glöm (?:det där|grejen|saken|regeln) (?:med|om)\s+(.{3,})"),
    ("tr", r"(.{3,}?) (?:kuralını|konusunu|meselesini|olayını|işini) unut(?:abilirsin)?[.!]?$"),
    ("vi", r"(?:hãy |xin )?quên (?:chuyện|việc|quy tắc)(?: về)? (.{3,}?)(?: đi)?[.!]?$"),
    ("zh", r"(?:请|請)?(?:忘记|忘記|忘掉|忘了)(?:关于|關於)?(.{2,}?)(?:那条|那條|这条|那个|那個|那件事|的规则|的規則|的规定)(?:吧)?[。！]?$"),
    ("ja", r"(.{3,}?)(?:の件|の話|のルール|の決まり)(?:を|は)?忘れて(?:ください|下さい|ね|いい(?:よ|です)?)?[。!！]?$"),
    ("ko", r"(.{3,}?)\s?(?:얘기|이야기|규칙|건)(?:은|는|을|를)? 잊어\s?(?:줘|주세요|버려|도 돼)[.。!！]?$"),
    ("en", r"(?:you (?:can|may|should) )?(?:please )?(?:(?:forget|ignore|disregard|scrap|scratch) what (?:i|we) (?:said|told you|mentioned|wrote) about|forget (?:everything|all|anything)(?: you know| (?:i|we) (?:said|told you))? about|forget (?:that|the (?:fact|rule|memory|note|decision|preference|thing) (?:that|about|with)))[ :,]+(.{3,})"),
    ("en", r"(?:please )?(?:do not|don't|dont|stop) (?:remember(?:ing)?|keep(?:ing)?)(?: (?:anymore|any longer))?(?: that|:)\s+(.{3,})"),
    ("en", r"(?:please )?(?:remove|delete|drop|erase) (?:from (?:your |the )?memory(?: that|:)|(?:the |your )?memory(?: that|:| about))\s*(.{3,}?)(?: from (?:your |the )?memory)?$"),
    ("de", r"(?:bitte )?(?:vergiss|vergessen sie)(?: bitte)?(?:,? (?:dass|daß)|:|,? alles(?:,? was du)? (?:über|zu[mr]?)|,? (?:das|die (?:sache|regel|notiz|entscheidung)|den hinweis)(?: mit| über| zu[mr]?| wegen)(?: de[mnr]| die| das)?)\s+(.{3,})"),
    ("en", r"(?:please )?(?:remove|delete|drop|erase|clear|wipe) (.{3,}?) from your memor(?:y|ies)(?: please)?[.!]?$"),
    ("de", r"(?:bitte )?(?:lösche?|entferne|streiche?)(?: bitte)? (.{3,}?) aus deinem (?:gedächtnis|speicher)[.!]?$"),
    ("es", r"(?:por favor,? )?(?:borra|elimina|quita) (.{3,}?) de tu memoria[.!]?$"),
    ("fr", r"(?:supprime|efface|retire)z? (.{3,}?) de (?:ta|votre) mémoire[.!]?$"),
    ("it", r"(?:cancella|elimina|rimuovi) (.{3,}?) dalla tua memoria[.!]?$"),
    ("pt", r"(?:por favor,? )?(?:apaga|apague|remova|remove|exclua) (.{3,}?) da (?:sua|tua) memória[.!]?$"),
    ("nl", r"(?:verwijder|wis|schrap) (.{3,}?) uit je geheugen[.!]?$"),
    ("pl", r"(?:usuń|wymaż) (.{3,}?) (?:z|ze) (?:swojej|twojej) pamięci[.!]?$"),
    ("ru", r"(?:удали|сотри)(?:те)? (.{3,}?) из (?:своей|твоей) памяти[.!]?$"),
    ("de", r"(?:bitte )?(?:vergiss|vergessen sie|ignorier(?:e|en sie)?)(?: bitte)?,? was ich (?:dir |ihnen )?(?:über|zu[mr]?) (.{3,}?) (?:gesagt|geschrieben|erzählt) habe"),
    ("de", r"(?:bitte )?(?:lösche?|entferne|streiche?)(?: bitte)? (?:(?:die|deine) (?:erinnerung|notiz)(?: (?:über|an|zu[mr]?)|,? dass|:)|aus (?:dem|deinem) (?:gedächtnis|speicher)(?:,? dass|:))\s+(.{3,})"),
    ("es", r"(?:por favor,? )?(?:olvida|olvide|olvídate de)(?: que|:| todo sobre| lo que (?:te )?(?:dije|he dicho) (?:sobre|de))\s+(.{3,})"),
    ("es", r"(?:por favor,? )?(?:borra|elimina|quita) (?:(?:el recuerdo|la nota)(?: sobre| de que| de)|de (?:tu|la) memoria(?: que|:))\s+(.{3,})"),
    ("fr", r"(?:s'il te plaît,? )?oublie(?:z)?(?: qu(?:e |')|\s?:\s?| tout (?:sur|à propos de) | ce que je? ?'?(?:t'ai|vous ai|ai) dit (?:sur|à propos de) )(.{3,})"),
    ("fr", r"(?:supprime|efface|retire)z? (?:(?:le souvenir|la note)(?: concernant | sur | à propos de | qu(?:e |'))|de (?:ta|votre|la) mémoire(?: qu(?:e |')|\s?:\s?))(.{3,})"),
    ("it", r"(?:dimentica|scorda)(?: pure)?(?: che|:| tutto su(?:l|lla|llo|lle|i|gli|ll')?| (?:quello|ciò) che (?:ti )?ho detto (?:su(?:l|lla|llo|lle|i|gli|ll')?|di|del|della|riguardo a))\s*(.{3,})"),
    ("it", r"(?:cancella|elimina|rimuovi) (?:(?:il ricordo|la nota) (?:su(?:l|lla|llo|lle|i|gli|ll')?|di|del|della|che)|dalla (?:tua )?memoria(?: che|:))\s*(.{3,})"),
    ("pt", r"(?:por favor,? )?(?:esqueça|esquece)(?: (?:de )?que|:| tudo sobre| o que (?:eu )?(?:te )?disse sobre)\s+(.{3,})"),
    ("pt", r"(?:por favor,? )?(?:apaga|apague|remova|remove|exclua) (?:(?:a memória|a lembrança|a nota)(?: sobre| de que)|da (?:sua |tua )?memória(?: que|:))\s+(.{3,})"),
    ("nl", r"vergeet(?: alsjeblieft)?(?: dat|:| alles over)\s+(.{3,})"),
    ("nl", r"vergeet(?: alsjeblieft)? wat ik (?:je )?over (.{3,}?) (?:heb gezegd|gezegd heb|zei)"),
    ("nl", r"(?:verwijder|wis|schrap) (?:(?:de|je) (?:herinnering|notitie)(?: over| aan| dat)|uit (?:je|het) geheugen(?: dat|:))\s+(.{3,})"),
    ("pl", r"zapomnij,? (?:to,? )?co (?:ci )?(?:mówił|powiedział)[ae]m o\s+(.{3,})"),
    ("pl", r"zapomnij(?:,? że|:| wszystko o)\s+(.{3,})"),
    ("pl", r"(?:usuń|wymaż) (?:(?:wspomnienie|notatkę) o|z (?:twojej )?pamięci(?:,? że|:))\s+(.{3,})"),
    ("sv", r"glöm(?: bort)?(?: att|:| (?:det|vad) jag (?:sa|har sagt) om)\s+(.{3,})"),
    ("sv", r"(?:radera|ta bort) (?:(?:minnet|anteckningen)(?: om| att)|(?:ur|från) (?:ditt )?minnet?(?: att|:))\s+(.{3,})"),
    ("ru", r"забудь(?:те)?,? (?:то,? )?что я (?:тебе |вам )?(?:говорил|сказал)а? (?:об?|про)\s+(.{3,})"),
    ("ru", r"забудь(?:те)?(?:,? что|:| вс[её] (?:об?|про)| про то,? что)\s+(.{3,})"),
    ("ru", r"(?:удали|сотри)(?:те)? (?:(?:воспоминание|запись|заметку) (?:об?|про)|из (?:своей )?памяти(?:,? что|:))\s+(.{3,})"),
    ("uk", r"забудь(?:те)?,? (?:те,? )?що я (?:тобі |вам )?(?:казав|казала|сказав|сказала) про\s+(.{3,})"),
    ("uk", r"забудь(?:те)?(?:,? що|:)\s+(.{3,})"),
    ("uk", r"(?:видали|зітри)(?:ть)? (?:(?:спогад|запис|нотатку) про|з пам.?яті(?:,? що|:))\s+(.{3,})"),
    ("tr", r"(.{3,}?)(?: hakkında (?:söylediklerimi|dediklerimi) unut| hakkındaki (?:anıyı|notu|kaydı) sil|(?: \S+[dt][ıiuü]ğ[ıiuü](?:n[ıiuü])?)?(?: (?:belleğinden|hafızandan) sil| unut))[.!]?$"),
    ("vi", r"(?:hãy |xin )?quên (?:rằng|là|:|(?:những gì|điều) (?:tôi|mình) (?:đã )?nói về)\s*(.{3,})"),
    ("vi", r"xóa (?:(?:ký ức|ghi nhớ|ghi chú) về|khỏi bộ nhớ (?:rằng|là|:))\s*(.{3,})"),
    ("hi", r"(?:कृपया )?(?:भूल (?:जाओ|जाइए|जाएँ)|अपनी (?:मेमोरी|याददाश्त) से (?:हटा|मिटा) (?:दो|दीजिए)) कि\s+(.{3,})"),
    ("hi", r"(.{3,}?) के बारे में (?:(?:मैंने )?जो (?:मैंने )?कहा (?:था )?(?:उसे )?भूल (?:जाओ|जाइए)|(?:याद|नोट) (?:मिटा|हटा) (?:दो|दीजिए))"),
    ("ar", r"(?:من فضلك )?(?:انس (?:أن|ما قلته (?:لك )?عن)|(?:احذف|امسح) (?:(?:الذكرى|الملاحظة) (?:عن|حول)|من (?:ذاكرتك|الذاكرة) أن))\s+(.{3,})"),
    ("zh", r"(?:请|請)?(?:忘记|忘記|忘掉|忘了)(?:我|我们|我們)(?:之前|刚才|剛才)?[说說]过?的?(?:关于|關於)?(.{2,}?)(?:的话|的話|的事)[。！]?$"),
    ("zh", r"(?:请|請)?(?:忘记|忘記|忘掉|忘了)(?:这条|这个|關於|关于)?[：:，,]?\s*(.{2,}?)(?:这件事|這件事|的事)[。！]?$"),
    ("zh", r"(?:请|請)?(?:(?:删除|删掉|刪除|清除)(?:关于|關於)(.{2,}?)的(?:记忆|記憶|记录|笔记)[。！]?$)"),
    ("zh", r"(?:请|請)?从(?:你的)?记忆(?:中|里)(?:删除|删掉|去掉)[：:，,]?\s*(.{2,})"),
    ("ja", r"(.{3,}?)(?:について(?:言った|話した|伝えた)(?:こと|話)(?:を|は)忘れて(?:ください|下さい|ね)?|について(?:の)?(?:記憶|メモ)を(?:削除|消)し(?:て(?:ください|下さい)?)?|、?という(?:記憶|メモ)を(?:削除し|消し)て(?:ください|下さい)?)[。!！]?$"),
    ("ja", r"(.{3,}?)(?:という?こと|こと|の)(?:を|は)忘れて(?:ください|下さい|ね)?[。!！]?$"),
    ("ko", r"(.{3,}?)(?:에 대해서? (?:(?:내|제)가 )?(?:한 말|말한 것)(?:을|은)? 잊어\s?(?:줘|주세요|버려)|에 대한 (?:기억|메모)(?:을|를)? (?:삭제해|지워)\s?(?:줘|주세요)|(?:는 것|라는 것)(?:을|를)? (?:메모리|기억)에서 (?:삭제해|지워)\s?(?:줘|주세요))[.。!！]?$"),
    ("ko", r"(.{3,}?)(?:는 것|는 거|라는 것|는 걸)(?:을|를|은|는)? 잊어\s?(?:줘|주세요|버려)[.。!！]?$"),
)  # fmt: skip

MENTIONS: Rows = (
    ("en", r"(?:you (?:can|may|should) )?(?:please )?forget about[ :,]+(.{3,})"),
    ("en", r"it(?:'s| is) (?:no longer (?:true|the case)|not (?:true|the case) any ?(?:more|longer)) that\s+(.{3,})"),
    ("pl", r"zapomnij o\s+(.{3,})"),
    ("ru", r"забудь(?:те)? (?:об?|про)\s+(.{3,})"),
    ("uk", r"забудь(?:те)? про\s+(.{3,})"),
    ("de", r"es (?:stimmt|gilt|ist) nicht mehr(?: wahr| richtig| so)?,? dass\s+(.{3,})"),
    ("es", r"ya no es (?:cierto|verdad) que\s+(.{3,})"),
    ("fr", r"(?:ce n'est|il n'est) plus (?:vrai|exact) qu(?:e |')(.{3,})"),
    ("it", r"non è più vero che\s+(.{3,})"),
    ("pt", r"(?:não é mais|já não é) verdade que\s+(.{3,})"),
    ("nl", r"het is niet (?:meer|langer) (?:waar|zo) dat\s+(.{3,})"),
    ("pl", r"(?:to już nieprawda|to już nie jest prawda|nie jest już prawdą),? że\s+(.{3,})"),
    ("sv", r"det (?:stämmer|är) inte längre(?: sant)? att\s+(.{3,})"),
    ("ru", r"(?:больше|уже) (?:не ?верно|неправда),? что\s+(.{3,})"),
    ("uk", r"(?:більше|вже) (?:невірно|неправда),? що\s+(.{3,})"),
    ("vi", r"(?:việc|chuyện) (.{3,}?) không còn đúng nữa[.!]?$"),
    ("tr", r"(.{3,}?) \S+[dt][ıiuü]ğ[ıiuü] artık doğru değil[.!]?$"),
    ("hi", r"(?:अब )?यह (?:अब )?सच नहीं है कि\s+(.{3,})"),
    ("ar", r"لم يعد صحيحا أن\s+(.{3,})"),
    ("zh", r"(.{3,}?)(?:这件事|這件事|这一点|這一點)(?:已经|已經)?(?:不对|不對|不成立)了[。！]?$"),
    ("zh", r"(?:请|請)?(?:忘记|忘記|忘掉|忘了)(?:这条|这个|關於|关于)?[：:，,]?\s*(.+[^了。！])[。！]?$"),
    ("ja", r"(.{3,}?)(?:という)?(?:の|こと)はもう(?:正しくありません|正しくない|違います)[。!！]?$"),
    ("ja", r"(.{3,}?)(?:を|は)忘れて(?:ください|下さい|ね)?[。!！]?$"),
    ("ko", r"(.{3,}?)(?:는 것|는 건|라는 것)(?:은|는)? (?:더 이상 )?사실이 (?:아니야|아닙니다|아니에요)[.。!！]?$"),
    ("ko", r"(.{3,}?)(?:을|를|은|는)? 잊어\s?(?:줘|주세요|버려)[.。!！]?$"),
)  # fmt: skip
"""Ways to forget that a task may use as well: "forget about the cache, fix the login"."""
