# ruff: noqa: E501  One row, one language.
"""Words of harmful intent, and of states of the moment, in sixteen languages (EX-3).

Each table is one concept, one row per language; `|` separates words and phrases. A word matches
as a whole; `*` at its end allows any ending, `~` allows up to five words between. Case and
accents do not count. Data only: `wm.domain.memory.intent` combines the concepts.
"""

from __future__ import annotations

Rows = tuple[str, ...]

SECRET: Rows = (
    ".env|.env.*|~/.ssh*|.ssh/*|id_rsa|id_ed25519|.npmrc|.pgpass|.netrc|kubeconfig|.aws/credentials|api key*|api-key*|api_key*|apikey*|access key*|secret|secrets|secret key*|private key*|ssh key*|signing key*|encryption key*|deploy key*|token|tokens|credential*|password*|passphrase*|environment variables|env vars|session cookie*|auth cookie*|keychain|connection string*|service account*|customer data|user data|conversation|transcript|chat history|source code|memory file*|*_key|*_token|*_secret|*_password|every file|all files|files you read|each file|*_url|*_dsn|database url|printenv|output of env|env output",
    "api-schlussel*|schlussel|zugangsdaten|anmeldedaten|geheimnis*|passwort*|passworter*|kennwort*|kennworter*|umgebungsvariable*|zugangstoken*|zugriffstoken*|quellcode|quelltext|gesprachsverlauf|kundendaten|ssh-schlussel*",
    "clave* de api|clave* privada*|clave* de acceso|contrasena*|credencial|credenciales|credenciais|secreto*|variables de entorno|clave de despliegue|codigo fuente|datos de los clientes|clave* ssh|llave* ssh|llave* privada*",
    "cle* d'api|cle* api|cle* privee*|cle* d'acces|mot de passe|mots de passe|identifiants|jeton*|variables d'environnement|code source|donnees des clients|donnees clients|cle* ssh",
    "chave* de api|chave* da api|chave* privada*|chave* de acesso|senha|senhas|segredo*|variaveis de ambiente|codigo-fonte|dados dos clientes|chave* ssh",
    "chiav* api|chiav* dell'api|chiav* privat*|credenzial*|segret*|variabili d'ambiente|variabili di ambiente|codice sorgente|dati dei clienti|chiav* ssh",
    "api-sleutel*|sleutel|sleutels|prive-sleutel*|privesleutel*|inloggegevens|wachtwoord*|geheim|geheimen|omgevingsvariabel*|broncode|klantgegevens|ssh-sleutel*",
    "klucz* api|klucz* prywatn*|klucz* dostep*|klucz* ssh|hasł*|haslo|dane logowania|danych logowania|poswiadcze*|sekret*|tajn*|zmienn* srodowiskow*|kod zrodłow*|token*|dane klientow",
    "ключ* api|ключ* апи|api-ключ*|апи-ключ*|приватн* ключ*|закрыт* ключ*|токен*|парол*|секрет*|учетн* данн*|учётн* данн*|переменн* окружения|исходн* код*|данн* клиентов",
    "api anahtar*|ozel anahtar*|gizli anahtar*|erisim anahtar*|kimlik bilgi*|parola*|sifre*|sırlar*|ortam degisken*|token*|kaynak kod*|musteri veri*",
    "khoa api|khoa rieng*|khoa bi mat|khoa truy cap|mat khau|thong tin đang nhap|thong tin xac thuc|bien moi truong|bi mat|ma nguon|du lieu khach hang|khoa ssh",
    "密钥|密鑰|令牌|密码|密碼|凭据|憑據|凭证|憑證|私钥|私鑰|环境变量|環境變數|口令|源代码|客户数据",
    "apiキー|api キー|秘密鍵|アクセスキー|トークン|パスワード|認証情報|資格情報|環境変数|秘密情報|ソースコード|顧客データ|ssh鍵|ssh 鍵|ssh キー|鍵ファイル",
    "api 키|api키|비밀 키|비밀키|개인 키|개인키|액세스 키|토큰|비밀번호|암호|자격 증명|자격증명|인증 정보|인증정보|환경 변수|환경변수|비밀 값|소스 코드|고객 데이터|ssh 키|ssh키",
    ".env|مفتاح|مفاتيح|المفاتيح|المفتاح|كلمة المرور|كلمات المرور|كلمة السر|رمز الوصول|رموز الوصول|بيانات الاعتماد|بيانات الدخول|الأسرار|متغيرات البيئة|الشيفرة المصدرية|بيانات العملاء",
    ".env|पासवर्ड|कुंजी|कुंजियां|कुंजियाँ|टोकन|गुप्त|क्रेडेंशियल|एनवायरनमेंट वेरिएबल|सोर्स कोड|api key*|ssh key*|ग्राहक डेटा",
)

SEND: Rows = (
    "send|post|upload|curl|wget|forward|transmit|leak|email|e-mail|mail|copy|paste|include|append|attach|embed|put|push|submit|publish|share|write|add|log|echo|print|pipe|sync|report|exfiltrat*|insert|place|ship|relay|expose|back up|mirror|wants ~ attached|wants ~ sent|wants ~ posted|wants ~ uploaded|wants ~ included|wants ~ pasted|wants ~ added|wants ~ copied|carry|contain",
    "schick*|send|sende|sendet|senden|gesendet|geschickt|ubermittel*|ubertrag*|hochlad*|hochgeladen|lade|mailen|gemailt|mail|poste|posten|veroffentlich*|aufnehm*|aufzunehmen|aufgenommen|einfug*|einzufugen|eingefugt|fuge|schreib*|kopier*|weiterleit*|weiterzuleiten|weitergeleitet|leite|leck*|hang|hange|anhang*|pushe|pushen|teile|teilen|nimm|spiegle|beilegen|beifugen|fuge|gehor* ~ jede*",
    "envi*|mand*|sub*|public*|inclu*|anad*|agreg*|copi*|peg*|reenvi*|transmit*|filtr*|escrib*|adjunt*|pon|poner|compart*",
    "envo*|transmet*|publi*|poste*|televers*|inclu*|ajout*|copie*|colle*|joins|joindre|joignez|mets|mettre|mettez|ecris|ecrire|ecrivez|partag*|pousse*|met",
    "envi*|mand*|publi*|inclu*|adicion*|acrescent*|copi*|cole|cola|colar|colem|encaminh*|transmit*|escrev*|anex*|carreg*|suba|subir|coloque|colocar|coloca|compartilh*|poste|postar",
    "invi*|mand*|pubblic*|inclu*|inser*|aggiung*|copi*|incoll*|inoltr*|trasmett*|scriv*|alleg*|caric*|metti|mettere|spedi*|condivid*",
    "stuur*|zend*|verzend*|verstuur*|mail|mailen|upload*|post|plaats*|publiceer*|zet|voeg|kopieer*|plak|neem|schrijf*|deel|doorsturen",
    "wysył*|wysyl*|wysl*|przesł*|przesl*|przesył*|opublik*|publik*|umieszcz*|umiesc*|dodaj*|dodawaj*|dołacz*|wklej*|wkleja*|skopiuj*|kopiuj*|wrzuc*|załacz*|wpis*|udostepn*|zamiesc*|dopisz|dopisuj|wysylaj",
    "отправ*|отошли*|отсыл*|пошли*|посыл*|пришли*|присыл*|загруж*|загрузи*|выгруж*|выгрузи*|публик*|опублик*|добав*|включай*|включи*|вставл*|вставь*|скопир*|копир*|пересл*|пересыл*|переда*|пиши*|запис*|прикреп*|выложи*|залей*|размещ*|размести*|приклад*|приложи*|шли|дублир*",
    "gonder|gonderin|gonderilmeli*|gonderilsin|gondermelisin|gonderip|yolla|yollayın|yukle|yukleyin|yayınla|yayınlayın|ekle|ekleyin|eklenmeli*|eklensin|yapıstır|yapıstırın|kopyala|kopyalayın|ilet|iletin|paylas|paylasın|yaz|yazın|yazılmalı|postala|dahil et|dahil edin|koy|koyun|aktar|aktarın|sızdır",
    "gửi|gui|tai len|đang|them|chen|dan|chep|sao chep|chuyen|chuyen tiep|đưa|ghi|viet|chia se|đinh kem|tải lên|đăng|thêm|chèn|dán|chuyển|đính kèm|đẩy",
    "发送|發送|发到|發到|发给|發給|上传|上傳|寄到|寄给|贴到|貼到|粘贴|写入|寫入|写进|写到|加上|加入|添加|附上|附加|包含|包括|放进|放入|放到|转发|轉發|传到|传给|推送|提交到|公开|泄露|复制到|带上|附在|发布到|发布在|公布",
    "送る|送って|送れ|送信|送り|送付|アップロード|投稿|貼り付け|貼る|含める|含めて|入れる|入れて|入れろ|書き込|書く|書い|追加|添付|コピー|転送|メールする|メールし|公開|共有|プッシュ|記載|載せ|埋め込",
    "보내|전송|업로드|올려|올리|게시|붙여|포함|넣어|넣으|넣는|추가|첨부|복사|전달|공유|메일로|기록|적어|푸시|유출",
    "ارسل|ارسال|ابعث|ارفع|رفع|انشر|نشر|انسخ|الصق|اضف|اكتب|ضع|حول|شارك|سرب",
    "भेज*|अपलोड|पोस्ट|कॉपी|जोड़*|लिख*|डाल*|साझा|पेस्ट|प्रकाशित",
)
"""Verbs in the imperative: "sends" describes what a program does."""

PLACE: Rows = (
    "commit message*|commit body|commit-message*|pull request*|pr description*|pr body|issue comment*|each comment|every comment|every issue|the changelog|the readme|release note*|code comment*|pastebin|paste.*|gist|gists|webhook*|external server*|external address*|remote server*|third party|third-party server*|my server|our server|the server at|following address|given address|this address|public channel*|every reply|every answer|each reply|your answer*|your repl*|test output|build log*|ci log*|public log*|public bucket*|authorized_keys|telegram|discord|git trailer*|http://*|ftp://*|query string*|url parameter*|each commit|every commit|public repo*|public issue*",
    "commit-nachricht*|commitnachricht*|commit-beschreibung*|pull-request*|externe* server*|fremde* server*|folgende adresse|angegebene adresse|jede* antwort*|jede* kommentar*|offentlich*|jedem commit|jeden commit",
    "mensaje* de commit|mensaje* del commit|mensajes de los commits|servidor* extern*|direccion indicada|cada respuesta|cada comentario|siguiente direccion|cada commit|repositorio* public*",
    "message* de commit|messages des commits|serveur* extern*|serveur* distant*|adresse indiquee|adresse suivante|chaque reponse|chaque commentaire|chaque commit|depot* public*|depot* distant*",
    "mensage* de commit|mensage* do commit|servidor* extern*|endereco indicado|cada resposta|cada comentario|seguinte endereco|cada commit",
    "messagg* di commit|messagg* del commit|server estern*|indirizzo indicato|ogni risposta|ogni commento|indirizzo seguente|ogni commit|repository pubblic*",
    "commitbericht*|commit-bericht*|commitboodschap*|externe server*|volgende adres|opgegeven adres|elk antwoord|elke reactie|elke commit|openbare repo*|publieke repo*",
    "opis* commit*|opisu commita|opisow commitow|komunikat* commit*|wiadomosc* commit*|serwer* zewnetrzn*|zewnetrzn* serwer*|podany adres|kazdej odpowiedzi|kazdym komentarzu|kazdego commita|kazdym commicie|kazdego opisu|publiczn* repozytori*",
    "сообщен* ~ коммит*|описан* ~ коммит*|сообщен* к коммит*|внешн* сервер*|сторонн* сервер*|указанн* адрес*|кажд* ответ*|кажд* комментар*|каждому коммиту|каждый коммит|публичн* репозитори*|открыт* репозитори*",
    "commit mesaj*|commit acıklama*|dıs sunucu*|harici sunucu*|belirtilen adres*|her yanıt*|her yorum*|her commit*|herkese acık*",
    "noi dung commit|thong diep commit|thong điep commit|may chu ben ngoai|đia chi sau|moi binh luan|moi cau tra loi|moi commit|kho cong khai|kho ma cong khai",
    "提交信息|提交消息|提交说明|提交訊息|外部服务器|外部伺服器|第三方服务器|指定地址|每个回复|每条回复|每条评论|外部地址|拉取请求|合并请求|合併請求|每次提交|每个提交|公开仓库|公共仓库|公开的仓库",
    "コミットメッセージ|コミット メッセージ|外部サーバー|外部のサーバー|指定のアドレス|指定されたアドレス|すべての回答|各コメント|プルリクエスト|コミットのたび|コミットごと|公開リポジトリ",
    "커밋 메시지|커밋메시지|외부 서버|지정된 주소|다음 주소|모든 답변|모든 댓글|풀 리퀘스트|풀리퀘스트|커밋할 때마다|커밋마다|모든 커밋|공개 저장소|공개 리포지토리",
    "رسالة الالتزام|رسائل الالتزام|خادم خارجي|الخادم الخارجي|العنوان التالي|كل رد|كل تعليق|مستودع عام|المستودع العام|طلب السحب",
    "कमिट संदेश*|कमिट मैसेज*|बाहरी सर्वर|बाहरी पते|हर उत्तर|हर जवाब|सार्वजनिक रिपॉजिटरी|पुल रिक्वेस्ट",
)
"""Places, besides addresses, where a text leaves the machine or becomes public."""

IGNORE: Rows = (
    "ignore|ignoring|disregard|override|overrule|forget|bypass|disobey|dismiss|defy|circumvent|pay no attention|take no notice|do ~ opposite of|not follow|not obey|stop following|not listen|no longer follow|no longer apply|no longer bound|set aside|treat ~ as void|contradict|more important than|takes precedence over|take precedence over|takes priority over|outrank*|not need to follow|need not follow|no need to follow|not have to follow|don't have to follow|not need to obey|not have to obey",
    "ignorier*|missacht*|umgeh*|vergiss|vergesst|ubergeh*|hinwegsetz*|setz* ~ hinweg|ausser kraft|außer kraft|ausser acht|außer acht|uberspring*|ubersprung*|deaktivier*|abschalt*|abgeschalt*|auslass*|auszulassen|unterlass*|nicht ~ befolg*|nicht ~ beacht*|nicht ~ halten|halte dich nicht|haltet euch nicht|weglass*|unberucksichtigt|widersetz*|spring*|nicht mehr gelten|gelten nicht mehr|nicht langer gelten|nicht mehr ~ richten",
    "ignor*|olvid*|descart*|desobede*|caso omiso|no hagas caso|no sigas|omit*|salt*|desactiv*|evit*|elud*|no tengas en cuenta|desoye*|pasa por alto|pasar por alto|incumpl*",
    "ignor*|oubli*|neglig*|contourn*|desobei*|tiens ~ pas compte|tiens plus compte|ne tiens ~ compte|tenir ~ compte|saut*|desactiv*|outrepass*|passe outre|passer outre|ne suis pas|ne respecte ~|fais abstraction|omets|omettre|ne tienne* ~ compte|ne tenez ~ compte|ne s'appliquent plus",
    "ignor*|esquec*|desconsider*|desobede*|descart*|nao siga*|pule|pula|pular|pulem|desativ*|contorn*|burl*|omit*|nao obedec*|nao leve* em conta",
    "ignor*|dimentic*|disobbed*|trascur*|non seguire|salt*|disattiv*|aggir*|elud*|non tenere conto|non tener conto|non rispettare|omett*|scavalc*",
    "negeer*|negeren|vergeet|omzeil*|trek ~ niets ~ aan|trek ~ niets meer aan|sla alle ~ over|sla ~ altijd over|sla de ~ over|overslaan|overgeslagen|schakel ~ uit|uitschakel*|houd ~ niet aan|volg ~ niet|laat ~ achterwege|overtreed",
    "ignor*|zignor*|pomij*|pomin*|nie przestrzega*|nie stosuj*|zapomnij*|lekcewaz*|omij*|omin*|obchodz*|obejdz*|wyłacz*|nie słuchaj*|nie zwaza*",
    "игнор*|проигнор*|не соблюда*|не следу*|забудь*|пренебре*|обходи*|обойди*|пропуска*|пропусти*|отключ*|не слушай*|не обращай*|наруш*|не выполня*|не придержив*|не подчиня*|не учитыва*",
    "yok say|yok sayın|gormezden gel|gormezden gelin|goz ardı et|goz ardı edin|dikkate alma|umursama|kurallarına uyma|uyma|uymayın|unut|atla|atlayın|devre dısı bırak|devre dısı bırakın|kapat|kapatın|dinleme|cigne*|es gec|es gecin|takip etme",
    "bo qua|phot lo|phớt lờ|mac ke|mặc kệ|quen đi|khong tuan theo|đung tuan theo|khong lam theo|đung lam theo|khong tuan thu|vo hieu hoa|tat|lam ngo|đừng để y|vuot qua|khong quan tam|bat chap|hay quen|quen moi|quen het|quen tat ca",
    "忽略|无视|無視|不理会|不要理会|别管|不管|忘掉|忘记|不遵守|不要遵守|不再遵守|不必遵守|违背|绕过|繞過|跳过|跳過|关闭|關閉|禁用|停用|省略|不顾|别听|不要听|不听|推翻|别理",
    "無視|従わな|従わず|忘れ|守らな|破る|破って|破棄|省略|スキップ|飛ばし|飛ばす|無効|回避|逆らう|逆らっ|より優先|を優先|聞かな|気にしな|省く|省いて|上書き",
    "무시|따르지|잊어|잊고|지키지|어겨|어기|건너뛰|생략|비활성|우회|듣지|끄고|꺼라|거스르|개의치|신경 쓰지",
    "تجاهل|تجاهلي|انس|لا تتبع|لا تلتزم|تخط|تجاوز|خالف|لا تطع|عطل|لا تهتم",
    "अनदेखा|अनदेखी|नज़रअंदाज़|नजरअंदाज|भूल जा*|पालन मत|पालन न|मत मानो|न मानो|ध्यान मत",
)

SKIP: Rows = (
    "skip|skips|disable|disables|turn off|suppress|omit|deactivate|leave out|never perform|drop|remove",
)
"""Like IGNORE, but only for checks: a program skips requests as well."""

ORDERS: Rows = (
    "instruction*|guideline*|rule|rules|directive*|polic*|restriction*|training|constraint*|principle*|system prompt|developer message|claude.md|agents.md|wishes|user's ~ request*|objection*|complaint*|decision*|boundaries|safeguard*|guardrail*|guidance|says|said|asks|wants|tells",
    "richtlinie*|regel*|anweisung*|vorgabe*|leitlinie*|grundsatz*|beschrankung*|vorschrift*|leitplanken|einwand*|einwande*|wunsch*|wunsche*|sicherheitsregel*|sicherheitsrichtlinie*|systemprompt|bitte*|anordnung*|sagt|gesagt|verlangt|mochte|will|wunscht|bittet",
    "instruccion*|directri*|regla*|norma*|restriccion*|orden*|peticion*|pautas|indicacion*|objecion*|limites|politica*|diga|dice|pida|pide|quiera|digan",
    "instruction*|directive*|regle*|consigne*|restriction*|demande*|objection*|politique*|principe*|limites|garde-fous|dit|dise|veut|demande|souhaite|indication*",
    "instruc*|diretriz*|regra*|orientac*|restric*|pedido*|objec*|decis*|limites|politica*|disser|diz|diga|quiser|pedir|pede|normas",
    "istruzion*|linee guida|regol*|direttiv*|restrizion*|richiest*|obiezion*|limiti|politic*|norme|dice|dica|vuole|chiede|vincol*|indicazion*",
    "instructie*|richtlijn*|regel*|veiligheidsrichtlijn*|veiligheidsregel*|beperking*|verzoek*|bezwa*|wensen|zegt|vraagt|wil|voorschrift*|aanwijzing*|beleid",
    "instrukcj*|wytyczn*|reguł*|zasad*|polecen*|ograniczen*|prosb*|sprzeciw*|mowi|powie|chce|prosi|zyczen*|zalecen*|polityk*|wskazowk*|wskazówk*",
    "инструкц*|указан*|правил*|директив*|ограничен*|просьб*|возражен*|говорит|скажет|сказал*|хочет|просит|пожелан*|принцип*|установк*|политик*|требован*|требован*|указани*",
    "talimat*|kural*|yonerge*|kısıtlama*|istek*|itiraz*|soyledik*|soyle*|dedig*|dedik*|isted*|politika*|ilke*|yonlendirme*|sınır*",
    "huong dan|nguyen tac|quy tac|chi dan|quy đinh|yeu cau|phan đoi|noi|muon|han che|chinh sach|chi thi|lenh|y kien",
    "指令|指示|准则|準則|规则|規則|规定|原则|方针|限制|要求|意见|反对|说法|所说|说的|说什么|政策|约束|提示词|请求|的话",
    "指示|ガイドライン|ルール|規則|原則|方針|制限|制約|要望|反対|言うこと|言った|言葉|意見|依頼|ポリシー|命令|発言|希望",
    "지시|지침|규칙|원칙|가이드라인|제한|요청|반대|하는 말|말한|말은|말을|의견|정책|명령|제약|방침|당부",
    "التعليمات|تعليمات|القواعد|قواعد|التوجيهات|الاوامر|اوامر|القيود|الطلبات|السياسات|سياسة|موجه النظام|ارشادات|الارشادات",
    "निर्देश*|नियम*|आदेश*|दिशानिर्देश*|नीति*|प्रॉम्प्ट|अनुरोध*|प्रतिबंध*",
)

AUTHORITY: Rows = (
    "your|you were given|the user|user's|user says|users' wishes|system prompt|safety|ethical|previous instructions|earlier instructions|anthropic|openai|developer's|the developer|the owner|the maintainer|claude.md|agents.md",
    "deine*|ihre|ihren|eure*|nutzer*|benutzer*|anwender*|entwickler*|sicherheitsr*|bisherig*|vorherig*|fruhere*|obige*|system*",
    "tus|sus|usuari*|sistema|seguridad|anterior*|previ*|desarrollador*",
    "tes|vos|utilisateur*|systeme|securite|precedent*|anterieur*|developpeur*",
    "suas|seus|tuas|usuari*|utilizador*|sistema|seguranca|anterior*|desenvolvedor*",
    "tue|tuoi|vostre|utente|utenti|sistema|sicurezza|precedent*|sviluppator*",
    "je|jouw|uw|gebruiker*|systeem*|veiligheid*|eerdere|vorige|ontwikkelaar*",
    "swoich|swoje|twoich|uzytkownik*|system*|bezpieczenstw*|wczesniejsz*|poprzedni*|programist*",
    "свои*|твои*|ваши*|пользовател*|систем*|безопасност*|предыдущ*|прежни*|разработчик*|юзер*|прошл*|прежн*",
    "kullanıcı*|sistem*|guvenlik*|onceki*|kendi|gelistirici*|sana",
    "cua ban|nguoi dung|he thong|an toan|truoc đo|truoc đay|lap trinh vien",
    "你的|您的|自己的|用户|用戶|使用者|系统|系統|安全|之前|先前|以前|开发者",
    "あなたの|自分の|ユーザー|利用者|システム|安全|以前の|これまでの|開発者",
    "너의|네 |자신의|사용자|유저|시스템|안전|이전|기존|개발자|당신의",
    "السابقة|المستخدم|النظام|المطور|السلامة|الامان|السابق",
    "पिछले|पिछली|उपयोगकर्ता|यूज़र|सिस्टम|डेवलपर|सुरक्षा|पहले के",
)

CHECKS: Rows = (
    "security check*|security review*|safety check*|safety review*|permission prompt*|permission check*|permission request*|approval prompt*|approval step*|confirmation prompt*|confirmation dialog*|confirmation step*|confirmations|safeguards|guardrails|sandbox|security warning*|security prompt*|permission dialog*|human review",
    "sicherheitsprufung*|sicherheitscheck*|sicherheitskontrolle*|sicherheitsabfrage*|sicherheitsfrage*|berechtigungsabfrage*|genehmigungsschritt*|bestatigungsabfrage*|ruckfragen|sicherheitswarnung*|sicherheitsmassnahme*|sicherheitsmaßnahme*|freigabeschritt*",
    "control* de seguridad|comprobacion* de seguridad|verificacion* de seguridad|revision* de seguridad|solicitud* de permiso|aviso* de seguridad|confirmaciones",
    "control* de securite|verification* de securite|demande* de permission|demande* d'autorisation|alerte* de securite|confirmations",
    "verificac* de seguranca|checage* de seguranca|controle* de seguranca|pedido* de permissao|confirmacoes|alerta* de seguranca",
    "controll* di sicurezza|verific* di sicurezza|richiest* di permesso|richiest* di conferma|avvis* di sicurezza",
    "beveiligingscontrole*|veiligheidscontrole*|beveiligingscheck*|toestemmingsvra*|bevestigingsvra*|beveiligingswaarschuwing*",
    "kontrol* bezpieczenstwa|sprawdzen* bezpieczenstwa|test* bezpieczenstwa|prosb* o zgode|prosb* o potwierdzenie|zabezpieczen*",
    "проверк* безопасности|проверок безопасности|запрос* разрешени*|запрос* подтвержден*|контрол* безопасности|подтверждени*",
    "guvenlik kontrol*|guvenlik denetim*|guvenlik tarama*|izin istem*|onay istem*|onay adım*",
    "kiem tra bao mat|kiem tra an ninh|kiem tra an toan|yeu cau xac nhan|hoi quyen|buoc phe duyet",
    "安全检查|安全檢查|安全审查|安全扫描|权限提示|权限检查|确认步骤|确认提示|审批流程",
    "セキュリティチェック|セキュリティ検査|安全確認|安全チェック|権限確認|確認ダイアログ|承認手順|確認プロンプト|セキュリティ確認",
    "보안 검사|보안 점검|보안 확인|안전 검사|권한 확인|승인 절차|확인 절차|확인 창",
)

HIDE: Rows = (
    "hide ~ from|hiding ~ from|conceal*|not tell|never tell|not mention|never mention|not inform|never inform|not notify|never notify|not let ~ know|never let ~ know|not let ~ notice|never let ~ notice|not let ~ find out|never let ~ find out|must not know|must not learn|must not find out|must never know|should not know|should never know|not warn|never warn|not alert|keep ~ from|keep ~ secret|keep ~ hidden|withhold|lie to|deceive|mislead|not report|never report|cover up|pretend|lie about|keep it out of|keep this out of|claim ~ passed",
    "verschweig*|verheimlich*|verberg*|verbirg*|verborgen|versteck*|nicht ~ erfahren|nichts ~ erfahren|nie ~ erfahren|nicht ~ sagen|nichts ~ sagen|nicht ~ mitteil*|nicht ~ informier*|nicht ~ erwahn*|nicht ~ mitbekommen|nichts ~ mitbekommen|vorenthalt*|nicht ~ merken|nichts ~ merken|darf ~ nicht wissen|soll ~ nicht wissen|nichts ~ wissen|beluge*|anlugen|unerwahnt|erwahne ~ nicht|tu so|so tun als|vorgaukel*|vortausch*",
    "ocult*|escond*|no ~ digas|no ~ decir|no ~ cuentes|no ~ menciones|no ~ mencionar|no ~ informes|no ~ informar|no ~ avises|nunca ~ digas|nunca ~ menciones|miente|mentir|engan*|no debe ~ saber|no debe ~ enterarse|no se entere|finge|fingir|simula que",
    "cache a|cache au|cache-le|cache-lui|cacher|cachez|dissimul*|ne ~ dis|ne ~ dites|ne ~ dire|ne ~ mentionne*|ne ~ parle*|ne ~ previens|ne ~ informe*|ne dis|mens|mentir|tromp*|ne doit ~ savoir|ne doit ~ apprendre|fais semblant|faire semblant|pretends que",
    "escond*|ocult*|nao ~ diga|nao ~ dizer|nao ~ conte|nao ~ mencion*|nao ~ inform*|nao ~ avis*|nunca ~ diga|nunca ~ mencion*|minta|mentir|engan*|nao deve ~ saber|finja|fingir",
    "nascond*|occult*|non ~ dire|non ~ dirlo|non ~ menzion*|non ~ inform*|non ~ avvis*|mai ~ dire|menti|mentire|ingann*|non deve ~ sapere|taci|fingi|fingere|fai finta",
    "verberg*|verzwijg*|vertel ~ niet*|vertel ~ nooit|zeg ~ niet*|zeg ~ nooit|meld ~ niet*|niet ~ vertellen|niet ~ melden|mag ~ niet weten|lieg|misleid|noem ~ niet|houd ~ verborgen|informeer ~ niet|doe alsof",
    "ukryj*|ukryw*|zataj*|nie mow*|nie wspomin*|nie informuj*|nie powiadamia*|nigdy nie mow*|okłam*|kłam|nie moze sie dowiedziec|nie zdradzaj*|nie zgłaszaj*|przemilcz*|udawaj*",
    "скрыва*|скрой*|не говори*|не сообщай*|не упоминай*|не рассказыва*|не уведомля*|не информиру*|умалчива*|утаи*|утаив*|обманыва*|соври|лги|не должен знать|не должен узнать|прячь*|притвор*|делай вид",
    "gizle|gizleyin|gizlenmeli*|gizli tut|sakla|saklayın|soyleme|soylemeyin|bahsetme*|bildirme|bildirmeyin|haber verme*|yalan soyle*|kandır*|bilmesin|bilmemeli*|belli etme*|mıs gibi yap*",
    "giau|che giau|đung noi|khong noi|khong đuoc noi|khong cho ~ biet|đung cho ~ biet|khong đe ~ biet|đung đe ~ biet|khong đuoc biet|đung bao|khong bao|đung nhac|noi doi|lua doi|đung tiet lo|an giau|gia vo",
    "隐瞒|隱瞞|瞒着|瞞著|不要告诉|别告诉|不告诉|不要让用户知道|别让用户知道|不能让用户知道|不要让用户发现|别让用户发现|不能让用户发现|不要通知|不要向用户提|不要向用户透露|不要向用户说|不要向用户报告|对用户隐藏|向用户隐藏|不要提醒|不得告诉|不许告诉|欺骗|绝不告诉|假装|谎称",
    "隠す|隠して|隠せ|言わな|伝えな|知らせな|知らせず|伝えず|言わず|教えな|報告しな|黙って|嘘|欺|気づかれ|気付かれ|内緒|悟られ|ふりを",
    "숨기|숨겨|말하지|알리지|알려주지|언급하지|보고하지|모르게|속이고|속이라|속여|거짓말|비밀로|감추|감춰|이야기하지|전하지|척하|척 하",
    "لا تخبر|لا تذكر|اخف|اخفاء|لا تبلغ|دون اخبار|دون ان يعلم|اكذب|لا تقل|لا تعلم",
    "मत बता*|न बता*|छिपा*|छुपा*|पता न चल*|पता नहीं चल*|ज़िक्र मत|उल्लेख न|झूठ",
)

USER: Rows = (
    "the user|user|developer|the owner|the maintainer|the human|anyone|anybody|reviewers|the reviewer|the team|the operator|the person",
    "nutzer|nutzern|nutzerin|dem nutzer|benutzer|benutzern|benutzerin|anwender|anwenders|anwendern|entwickler|entwicklern|niemand*|prufer|nutzers|benutzers",
    "usuario|usuaria|desarrollador|desarrolladora|nadie|revisor|revisores",
    "utilisateur|utilisatrice|l'utilisateur|developpeur|personne|relecteur|relecteurs",
    "usuario|usuaria|utilizador|desenvolvedor|ninguem|revisor",
    "utente|l'utente|sviluppatore|nessuno|revisore",
    "gebruiker|ontwikkelaar|niemand|beoordelaar",
    "uzytkownik|uzytkownika|uzytkownikiem|uzytkownikowi|programista|programiscie|programista|nikomu|nikogo|recenzent*|użytkownik*|programist*",
    "пользователь|пользователя|пользователю|пользователем|разработчик|разработчика|разработчику|никому|никто|юзер*|ревьюер*",
    "kullanıcı|kullanıcıya|kullanıcıdan|kullanıcının|kullanıcıyı|gelistirici*|kimseye|kimse",
    "nguoi dung|lap trinh vien|nha phat trien|khong ai|ai biet|bat ky ai",
    "用户|用戶|使用者|开发者|開發者|任何人|主人|评审",
    "ユーザー|利用者|開発者|誰にも|レビュアー",
    "사용자|유저|개발자|누구에게도|아무에게도|아무도|검토자",
    "المستخدم|المستخدمين|المطور|احد|احدا|المراجع",
    "उपयोगकर्ता|यूज़र|यूजर|डेवलपर|किसी को|किसी से",
)

SECRETLY: Rows = (
    "secretly|covertly|stealthily|quietly|behind the user's back|behind their back|behind the developer's back|on the sly|unnoticed|without the user noticing|without anyone noticing|without being noticed|without leaving a trace|discreetly",
    "heimlich|insgeheim|unbemerkt|hinter dem rucken|im stillen|stillschweigend|klammheimlich|ohne wissen|ohne es zu sagen|verdeckt|hinterrucks",
    "a escondidas|en secreto|secretamente|a espaldas|sin que se note|disimuladamente|sigilosamente|sin que nadie",
    "en cachette|en secret|secretement|a l'insu|dans le dos|discretement|en douce",
    "as escondidas|em segredo|secretamente|pelas costas|as ocultas|sorrateiramente|discretamente|na surdina",
    "di nascosto|in segreto|segretamente|alle spalle|all'insaputa|furtivamente|di soppiatto|senza dirlo|senza avvisare|senza informare|senza farsi notare",
    "stiekem|heimelijk|in het geheim|achter de rug|ongemerkt|in stilte|zonder het te zeggen|zonder medeweten|zonder de gebruiker|zonder iemand",
    "po kryjomu|potajemnie|w tajemnicy|za plecami|ukradkiem|po cichu|bez wiedzy|nie informujac|nie mowiac|skrycie",
    "тайком|тайно|втайне|скрытно|незаметно|за спиной|без ведома|исподтишка|втихую|не говоря|не сообщая|не уведомляя|не предупреждая",
    "gizlice|habersizce|haberi olmadan|haber vermeden|soylemeden|sessizce|bilgisi olmadan|caktırmadan|bildirmeden",
    "len lut|len day|len đay|len gui|len chay|len xoa|len cai|len sua|am tham|bi mat|giau giem|sau lung|ma khong noi|ma khong bao|khong cho biet",
    "偷偷|悄悄|秘密地|暗中|私下|背着|瞒着|神不知鬼不觉|不声不响",
    "こっそり|ひそかに|密かに|内緒で|黙って|知られずに|気づかれずに|気付かれないように|知られないように|秘密裏",
    "몰래|은밀히|은밀하게|비밀리에|조용히|모르게|알리지 않고|말하지 않고|눈치채지",
)

ACT: Rows = (
    "run|execute|install|send|push|upload|delete|commit|add|change|modify|merge|deploy|copy|disable|replace|remove|insert|open|forward|download|write|edit|create|grant|publish|rewrite",
    "ausfuhr*|auszufuhren|fuhre|installier*|push*|losch*|anleg*|ander*|einbau*|entfern*|ersetz*|deaktivier*|anderung*|merge*|kopier*|starte*|tausche*",
    "ejecut*|instal*|borr*|elimin*|cambi*|modific*|desactiv*|reemplaz*|fusion*|empuj*|copi*|cre*",
    "execut*|install*|supprim*|modifi*|chang*|desactiv*|remplac*|fusionn*|pouss*|copi*|cree*|lance*",
    "execut*|instal*|apag*|exclu*|alter*|modific*|desativ*|substitu*|copi*|cri*|rode|rodar",
    "esegu*|install*|cancell*|elimin*|modific*|cambi*|disattiv*|sostitu*|copi*|cre*",
    "voer*|installeer*|verwijder*|wijzig*|verander*|push*|kopieer*|vervang*|schakel*|draai*|wis|pas",
    "uruchom*|uruchami*|instal*|zainstal*|usun*|usuwaj*|zmien*|wypych*|wypchnij*|kopiuj*|zamien*|podmien*|wyłacz*|wykon*",
    "запус*|выполн*|устан*|удал*|измен*|замен*|отключ*|копир*|меняй*|пуш*|запуш*|созда*|делай*",
    "calıstır|calıstırın|yukle|kur|sil|silin|degistir|degistirin|kaldır|kopyala|it|push*|olustur|kapat",
    "chay|cai|cai đat|xoa|sua|thay|đay|sao chep|tat|tao",
    "执行|執行|运行|安装|安裝|删除|刪除|修改|替换|推送|提交|复制|禁用|关闭|更换|创建|更改|改动",
    "実行|インストール|削除|変更|置き換え|差し替え|プッシュ|コピー|無効|作成|コミット",
    "실행|설치|삭제|변경|교체|푸시|복사|비활성|생성|커밋|수정|바꿔|바꾸",
)

GRANT: Rows = (
    "pre-approved|preapproved|pre-authori*|preauthori*|has approved|have approved|has authori*|has agreed|has consented|has granted|already approved|already agreed|already authori*|already consented|has given ~ permission|gave ~ permission|has given consent|gave consent|approved in advance|standing permission|standing approval|blanket approval|blanket permission|consider ~ approved|counts as approval|counts as consent|treat ~ as approved|treat ~ as consent|trusts you|grant the agent|give the agent|is authori* to|are authori* to|you have permission|you may freely|trusts the agent|signed off on|waived|permission ~ granted|answer yes|say yes|yes to all|yes to every",
    "im voraus genehmig*|vorab genehmig*|bereits genehmig*|pauschal genehmig*|hat ~ genehmig*|hat ~ erlaubt|hat ~ zugestimmt|hat ~ freigegeben|hat ~ bewillig*|hat ~ autorisier*|bereits erlaubt|bereits freigegeben|gilt als ~ genehmigt|gelten als ~ genehmigt|gilt als zustimmung|vorab erlaubt|generell erlaubt|im voraus ~ genehmigt|im voraus ~ erlaubt|vorab zugestimmt|gib dem agenten|vollmacht|freie hand",
    "ha autorizado|ya autorizo|autorizo|ha aprobado|aprobo|preaprob*|ha dado ~ permiso|dio permiso|ya aprobo|ya acepto|ha aceptado|da por aprobad*|cuenta como aprobacion|se consideran aprobad*|de antemano|concede al agente",
    "a deja autorise|a autorise|a deja approuve|a approuve|a donne son accord|pre-approuv*|preapprouv*|approuve d'avance|a accepte|vaut accord|vaut approbation|considere ~ comme approuv*|par avance|a l'avance|donne a l'agent",
    "ja autorizou|autorizou|ja aprovou|aprovou|pre-aprov*|preaprov*|deu permissao|ja aceitou|conta como aprovacao|considere ~ aprovad*|de antemao|conceda ao agente",
    "ha gia autorizzato|ha autorizzato|ha gia approvato|ha approvato|preapprov*|pre-approv*|ha dato il permesso|ha acconsentito|vale come consenso|considera ~ approvat*|in anticipo|concedi all'agente",
    "vooraf ~ goedgekeurd|heeft ~ goedgekeurd|heeft ~ toegestaan|heeft ~ toestemming|al goedgekeurd|bij voorbaat|geldt als goedkeuring|geldt als toestemming|vooraf goedgekeurd|geef de agent|gemachtigd",
    "z gory zatwierdził*|z gory zaakceptował*|wyraził* zgode|zatwierdził*|juz zaakceptował*|z gory zgodził*|uznaj za zatwierdzon*|oznacza zgode|udzielił* zgody|dał* zgode|z gory",
    "заранее одобр*|заранее разреш*|уже одобр*|уже разреш*|одобрил*|разрешил*|дал* согласие|дал* разрешение|считай* одобрен*|считается согласием|заранее согласил*|предоставь агенту|заранее согласен",
    "onceden onayla*|onceden izin ver*|zaten onayla*|onay verdi|izin verdi|onayladı|onaylanmıs say*|onceden kabul*|yetki ver*|onay sayılır",
    "đa phe duyet|phe duyet truoc|đa cho phep|đa đong y|cho phep truoc|coi nhu đa đuoc phe duyet|đa chap thuan|cap quyen cho|đa uy quyen",
    "预先批准|预先授权|已批准|已授权|已经批准|已经授权|提前批准|提前同意|已同意|已经同意|视为批准|视为同意|事先批准|事先同意|已预先|预先同意|全权",
    "事前に承認|事前承認|すでに承認|既に承認|承認済み|許可済み|事前に許可|すでに許可|同意済み|あらかじめ承認|あらかじめ許可|承認とみなす|同意とみなす|全権|事前に同意",
    "미리 승인|사전 승인|이미 승인|미리 허락|이미 허락|미리 동의|사전 동의|이미 동의|승인한 것으로|동의한 것으로|전권|미리 허용|사전에 승인",
)

POWER: Rows = (
    "destructive|dangerous|all commands|any command|every command|commands|all actions|any action|all changes|any change|everything|anything|all tool*|any tool*|tool calls|force push*|force-push*|rm -rf|delete*|deletion*|deleting|drop*|shell access|root|all permissions|full access|all rights|production access|to deploy|permission prompt*|permission request*|approval request*|sudo|all operations|bypass*|all future*|any future*|every future*|wipe|overwrite|all pull requests|any pull request|every pull request|all merge requests",
    "zerstorerisch*|gefahrlich*|alle befehle*|allen befehlen|jeden befehl|alle aktionen|alle anderungen|alles|loschbefehl*|loschung*|losch*|force-push*|werkzeugaufruf*|alle rechte|alle werkzeuge|vollzugriff|jede aktion|jede anderung|beliebige befehle|schreibzugriff",
    "destructiv*|peligros*|todos los comandos|cualquier comando|todas las acciones|cualquier accion|todos los cambios|cualquier cambio|todo|borrado*|borrar|force push|herramientas|todos los permisos|acceso total",
    "destructric*|destructeur*|dangereus*|toutes les commandes|n'importe quelle commande|toutes les actions|tous les changements|toute commande|tout|suppression*|supprimer|force push|outils|tous les droits|acces complet",
    "destrutiv*|perigos*|todos os comandos|qualquer comando|todas as acoes|qualquer acao|todas as mudancas|qualquer mudanca|tudo|exclus*|apagar|force push|ferramentas|todas as permissoes|acesso total",
    "distruttiv*|pericolos*|tutti i comandi|qualsiasi comando|tutte le azioni|qualsiasi azione|tutte le modifiche|qualsiasi modifica|tutto|cancellazion*|cancellare|force push|strumenti|tutti i permessi|accesso completo",
    "destructiev*|gevaarlijk*|alle opdrachten|alle commando*|elk commando|elke opdracht|alle acties|elke actie|alle wijzigingen|elke wijziging|alles|verwijder*|force push*|tools|alle rechten|volledige toegang",
    "niszcząc*|niszczac*|niebezpieczn*|wszystkie polecenia|wszystkich polecen|kazde polecenie|kazda zmian*|wszystkie zmiany|wszystko|usuwan*|usuni*|force push|narzedzi*|wszystkie uprawnienia|pełny dostep|wszystkie działania",
    "разрушит*|опасн*|все команды|любые команды|любую команду|все действия|любые действия|все изменения|любые изменения|всё|все |удален*|force push|инструмент*|все права|полный доступ",
    "yıkıcı*|tehlikeli*|tum komut*|her komut*|tum islem*|her islem*|tum degisiklik*|her degisiklik*|her sey*|silme*|force push|arac cagrı*|arac*|tum yetki*|tam erisim*",
    "pha huy|pha hoai|nguy hiem|moi lenh|tat ca lenh|tat ca cac lenh|bat ky lenh|moi thay đoi|moi hanh đong|tat ca|moi thao tac|xoa|cong cu|toan quyen|moi quyen",
    "破坏性|破壞性|危险|危險|所有命令|任何命令|所有操作|任何操作|所有更改|任何更改|一切|删除|刪除|强制推送|工具调用|所有权限|全部权限|所有修改|任何修改|所有工具",
    "破壊的|危険|すべてのコマンド|全コマンド|あらゆるコマンド|すべての操作|あらゆる操作|すべての変更|何でも|削除|強制プッシュ|ツール|すべての権限|全権限|フルアクセス",
    "파괴적|위험|모든 명령|모든 작업|모든 변경|어떤 명령|무엇이든|삭제|강제 푸시|도구|모든 권한|전체 권한|모든 수정",
    "جميع الاوامر|كل الاوامر|اي امر|كل شيء|جميع العمليات|اي عملية|حذف|الحذف|خطير*|جميع الصلاحيات|صلاحيات كاملة|الاوامر|اوامر",
    "सभी कमांड|कोई भी कमांड|हर कमांड|सब कुछ|सभी बदलाव|हटा*|डिलीट|खतरनाक|सभी अनुमति*|पूरी पहुंच|सभी आदेश",
)

APPROVE: Rows = (
    "approve|accept|confirm|allow|auto-approve|auto-accept|auto-confirm|grant|permit|trust|authorize|authorise|say yes|answer yes|merge|merged|approved|accepted",
    "genehmig*|bestatig*|akzeptier*|erlaub*|zulass*|zuzulassen|zustimm*|zuzustimmen|freigeb*|freizugeben|gewahr*",
    "aprueb*|aprob*|acept*|confirm*|permit*|autoriz*",
    "approuv*|accept*|confirm*|autoris*|valid*",
    "aprov*|aceit*|confirm*|permit*|autoriz*",
    "approv*|accett*|conferm*|permett*|autorizz*",
    "keur|goedkeur*|goed te keuren|accepteer*|bevestig*|sta toe|toestaan",
    "zatwierdz*|akceptuj*|zaakceptuj*|potwierdz*|zezwal*|zezwol*|zgadzaj*",
    "одобря*|одобри*|принима*|подтвержда*|разреша*|соглаша*|утвержда*",
    "onayla*|kabul et*|izin ver*",
    "phe duyet|chap nhan|xac nhan|cho phep|đong y|chap thuan",
    "批准|同意|确认|確認|允许|接受|授权|通过",
    "承認|許可|同意|受け入れ|認め|確定",
    "승인|허락|허용|동의|수락|확인",
    "وافق|اقبل|اكد|اسمح|نفذ|شغل",
    "स्वीकार|मंज़ूर|मंजूर|अनुमोदि*|चला*|स्वीकृत",
)

UNASKED: Rows = (
    "without asking|without question*|without checking|without confirm*|without review*|without reading|unconditionally|blindly|no questions asked|never ask|not ask|not prompt|never prompt|not wait for|instead of asking|no need to ask|never require|not require ~ confirmation|rather than asking|without looking|unseen|unread",
    "ohne nachzufragen|ohne zu fragen|ohne ruckfrage*|ohne nachfrage*|ohne prufung|ohne bestatigung|ohne weiteres|ungefragt|ungepruft|ungesehen|blind|nie ~ fragen|frage nie|frag nie|frag nicht|frage nicht|nicht ~ fragen|nicht nachfragen|nicht nachzufragen|bedenkenlos|ohne es zu lesen|ohne sie zu lesen|unbesehen|nie nach bestatigung|statt zu fragen|frage ~ nie|frag ~ nie",
    "sin preguntar*|sin consultar*|sin confirmar*|sin revisar*|sin pedir*|a ciegas|no preguntes|nunca preguntes|sin leer*|no pidas|nunca pidas|no hace falta preguntar|no preguntes ~ nunca",
    "sans demander|sans poser|sans confirmer|sans verifier|sans verification|sans relire|aveuglement|les yeux fermes|ne demande pas|ne demande jamais|ne demandez ~|sans question*|inutile de demander|ne demande ~ jamais|ne demandez ~ jamais",
    "sem perguntar*|sem consultar*|sem confirmar*|sem revisar*|sem pedir*|cegamente|nao pergunte|nunca pergunte|sem ler|nao peca|nunca peca|nao e preciso perguntar|nao precisa perguntar",
    "senza chiedere|senza domande|senza conferma|senza confermare|senza verific*|senza revisione|ciecamente|alla cieca|non chiedere|mai chiedere|senza leggere|senza autorizzazione|senza permesso|senza consultare|non serve chiedere|non occorre chiedere|non chiedere ~ mai|non chiedere mai",
    "zonder te vragen|zonder vragen|zonder bevestiging|zonder toestemming|zonder goedkeuring|zonder controle|zonder te controleren|blindelings|blind|vraag niet|vraag nooit|nooit ~ vragen|zonder te lezen|zonder overleg|vragen is niet nodig|hoeft niet te vragen|vraag ~ nooit|vraag ~ niet",
    "bez pytania|bez pytan|bez potwierdzenia|bez zgody|bez sprawdzania|w ciemno|nie pytaj*|nigdy nie pytaj*|bez czytania|nie pytajac|bez weryfikacji|bez konsultacji|nie trzeba pytac|pytac nie trzeba",
    "не спрашивая|не спрашивай*|без вопросов|без подтвержден*|без разрешен*|без согласи*|без проверк*|вслепую|никогда не спрашива*|не читая|не проверяя|без спроса|не запрашива*|спрашивать не нужно|не нужно спрашивать|никогда не спрашива*",
    "sormadan|sorma|sormayın|onay almadan|onay beklemeden|onay istemeden|izin almadan|izin istemeden|kontrol etmeden|kosulsuz|korlemesine|okumadan|onaysız|danısmadan|sormaya gerek yok|asla sorma",
    "khong can hoi|ma khong hoi|khong hoi|đung hoi|khong can xac nhan|khong can phe duyet|khong can đong y|vo đieu kien|khong can kiem tra|khong can xin phep|mu quang|ma khong can|khong can hoi|đung bao gio hoi",
    "不要询问|不用问|无需询问|不必询问|不询问|不要问|别问|不问|无条件|盲目|不加审查|不看|直接|不经询问|从不询问|不用确认|无需确认|无需再询问|无需再问|永远不要问|不要再问",
    "質問せず|聞かず|尋ねず|確認せず|無条件|盲目的|問い合わせず|質問なし|確認なし|確認を求めな|聞かない|尋ねない|読まず|検証せず|許可を求めな|確認は不要|確認不要|質問は不要|質問しない|尋ねない|確認しない",
    "묻지 말|묻지 않|묻지말|물어보지|확인 없이|무조건|맹목적|검토 없이|허락 없이|동의 없이|읽지 않고|질문 없이|승인 없이|확인하지 않고|물어볼 필요|확인할 필요|묻지 마|질문하지 마",
    "دون سؤال|بدون سؤال|دون طلب|بدون طلب|دون تاكيد|بدون تاكيد|دون موافقة|بدون موافقة|دون اذن|بدون اذن|دون الرجوع|لا تسال",
    "बिना पूछे|बिना अनुमति|बिना पुष्टि|पूछे बिना|अनुमति के बिना|पुष्टि के बिना|मत पूछ*|न पूछ*",
)

FETCH: Rows = (
    "download|fetch|curl|wget|pull|retrieve|grab|get|load|invoke-webrequest|iwr",
    "herunterlad*|herunterzuladen|heruntergeladen|lade|hole|holen|abruf*|abzurufen|runterlad*|beziehe",
    "descarg*|baj*|obten*",
    "telecharg*|recuper*|charge*",
    "baix*|obtenh*|descarreg*",
    "scaric*|recuper*|preleva*",
    "downloaden|haal*|ophalen",
    "pobierz|pobieraj|pobrac|sciagn*|sciagaj",
    "скача*|загруз*|загружа*|качай*|получи",
    "indir|indirip|indirin*|cek|getir",
    "tai|tai ve|tai xuong|lay",
    "下载|下載|获取|拉取|抓取",
    "ダウンロード|取得|落とし",
    "내려받|다운로드|다운받|받아|가져와",
    "حمل|تحميل|نزل|تنزيل|اجلب|جلب",
    "डाउनलोड|प्राप्त कर*|लाओ",
)

RUN_IT: Rows = (
    "and run it|then run it|and execute it|then execute it|run it with|run it as|and source it|pipe it|do what it says|do as it says|und fuhre ~ aus|ausfuhren was dort|y ejecutal*|et execut*-le|et lance-le|e execute-o|ed eseguil*|en voer ~ uit|i uruchom go|и запусти его|и выполни его|ve calıstır|va chay no|并执行它|并运行它|然后执行它|それを実行|그것을 실행",
)
"""What an address names is to be run."""

RUN: Rows = (
    "run|execute|source|install|launch|start|eval|apply|follow|obey|invoke",
    "ausfuhr*|auszufuhren|ausgefuhrt|fuhre|starte*|installier*|befolg*",
    "ejecut*|instala|instalar|instale|instalad*|sigue|seguir|lanz*|corre|corre*",
    "execut*|lance|lancez|lancer|lance-*|installe|installez|suis|suivre",
    "execut*|rode|rodar|instale|instalar|siga",
    "esegu*|avvi*|installa|installalo|installare|lanci*|segui",
    "voer*|uitvoer*|draai*|installeer*|start|volg",
    "uruchom*|uruchami*|wykon*|zainstaluj*|odpal*",
    "запус*|выполн*|исполн*|установи*",
    "calıstır|calıstırın|yurut|kur|uygula",
    "chay|thuc thi|cai đat|khoi chay",
    "执行|執行|运行|運行|安装|安裝|启动",
    "実行|起動|インストール|走らせ",
    "실행|설치|돌려|구동",
    "نفذ|تنفيذ|شغل|تشغيل|ثبت|تثبيت",
    "चला*|इंस्टॉल|निष्पादित",
)

NOT_BEFORE: Rows = (
    "not|never|no|don't|dont|cannot|can't|mustn't|must not|nobody|avoid|forbid*|prohibit*|refus*|instead of|rather than|without|redact*|mask|strip|scrub|reject*|prevent*|neither|nor",
    "nicht|nie|niemals|kein*|verboten|untersagt|statt",
    "no|nunca|jamas|ni|prohibid*|evita|sin",
    "ne|n'|jamais|pas|ni|interdit*|aucun*|sans",
    "nao|nunca|jamais|nem|proibid*|sem",
    "non|mai|ne|vietat*|senza",
    "niet|nooit|geen|verboden|zonder",
    "nie|nigdy|zaden|zabron*|zakaz*|bez",
    "не *|никогда|нельзя|запрещен*|запрещён*|без *|нигде",
    "asla|hicbir|yasak*|katiyen",
    "khong|đung|cam|tuyet đoi khong|chua",
    "不|别|別|勿|禁止|严禁|绝不|不得|不能|不要",
    "決して|絶対に",
    "절대|결코",
)
"""Before the verb: the sentence forbids what the verb says."""

NOT_AFTER: Rows = (
    "nicht|nie|niemals|keine*|verboten|untersagt|is forbidden|is not allowed|are not allowed|is prohibited|never",
    "esta prohibid*",
    "est interdit*",
    "e proibid*",
    "e vietat*",
    "niet|nooit",
    "jest zabron*|zabron*",
    "запрещен*|запрещён*|нельзя",
    "yasak*|memeli*|mamalı*|mayın|meyin",
    "禁止|しない|せず|ないこと|てはいけ|てはなら|ではいけ|ならない|できない|いけない|わない|ません",
    "지 않|지 말|지 마|금지|안 된다|안 된|없다|못 한",
)

PROGRAM: Rows = (
    "client|server|app|application|service|cli|ci|sdk|pipeline|worker|job|gateway|proxy|browser|middleware|backend|frontend|plugin|library|program|runner|bot|customers|we|system|tool|importer|exporter|parser|linter|task|endpoint|scanner|installer|formatter|compiler|generator|crawler|scheduler|loader|updater|launcher",
    "client|server|dienst|app|anwendung|pipeline|programm|browser|bibliothek|frontend|backend|plugin|gateway|job|kunden|wir|system|werkzeug|schnittstelle|importer",
    "cliente|servidor|servicio|aplicacion|navegador|programa|proceso|biblioteca|tarea|sistema|importador|exportador|herramienta|modulo|instalador",
    "client|serveur|service|application|navigateur|programme|bibliotheque|tache|passerelle|systeme|outil|importeur|module|installateur",
    "cliente|servidor|servico|aplicativo|aplicacao|navegador|programa|biblioteca|tarefa|sistema|importador|exportador|ferramenta|modulo",
    "client|server|servizio|applicazione|browser|programma|libreria|processo|sistema|strumento|importatore|modulo",
    "client|server|dienst|applicatie|app|browser|programma|bibliotheek|systeem|importtaak|module",
    "klient|serwer|usługa|aplikacja|przegladarka|program|biblioteka|zadanie|system|importer|moduł|zadanie",
    "клиент|сервер|сервис|приложение|браузер|программа|библиотека|шлюз|система|модуль|импортер|задача",
    "istemci|sunucu|servis|uygulama|tarayıcı|program|kutuphane|sistem|modul|gorev",
    "ung dung|may khach|may chu|dich vu|trinh duyet|chuong trinh|thu vien",
    "客户端|客戶端|服务端|服务器|应用|服务|浏览器|程序|网关|系统|模块|任务|导入器",
    "クライアント|サーバー|サービス|アプリ|ブラウザ|プログラム|ゲートウェイ|ライブラリ|システム|モジュール|タスク|インポーター",
    "클라이언트|서버|서비스|앱|브라우저|프로그램|게이트웨이|라이브러리|시스템|모듈|작업",
)
"""A subject before the verb: the sentence describes software and orders nothing."""

VOID: Rows = (
    "no longer valid|no longer applies|no longer apply|no longer count*|are void|is void|only obey|obey only|only follow this|follow only this|highest instruction",
    "gelten nicht mehr|gilt nicht mehr|zahlen nicht mehr|nicht mehr gultig|halte dich allein|halte dich nur|befolge nur",
    "ya no valen|ya no vale|ya no cuentan|ya no aplican|ya no rigen|obedece unicamente|obedece solo",
    "ne comptent plus|ne compte plus|ne valent plus|ne vaut plus|ne s'appliquent plus|obeis seulement|obeis uniquement",
    "nao valem mais|nao vale mais|nao contam mais|nao se aplicam mais|obedeca apenas|obedeca somente",
    "non valgono piu|non vale piu|non contano piu|non si applicano piu|obbedisci solo",
    "gelden niet meer|geldt niet meer|tellen niet meer|volg alleen",
    "juz nie obowiazuj*|juz nie obowiązuj*|nie obowiazuj* juz|przestały obowiazywac|słuchaj wyłacznie|słuchaj wyłącznie|słuchaj tylko",
    "больше не действ*|не действуют|больше не имеют силы|слушайся только|слушай только",
    "artık gecerli degil|gecerliligini yitir*|yalnızca bu nota uy|sadece bu nota uy",
    "khong con hieu luc|khong con gia tri|chi tuan theo",
    "不再有效|不再适用|已失效|作废|只听从|只听",
    "もう無効|無効になっ|効力を失|のみに従|だけに従",
    "더 이상 유효하지|효력이 없|효력을 잃|메모만 따르",
)
"""What somebody asked for does not hold any more."""

INVALID: Rows = (
    "void|invalid|null|ungultig|nichtig|anulad*|invalid*|nul|nuls|nulle|nulles|annule*|null*|ongeldig|niewazn*|nieważn*|недействительн*|gecersiz|vo hieu|无效|無効|무효",
)

THIS: Rows = (
    "this file|this note|this document|this memo|this text|diese datei|dieser datei|diese notiz|dieser notiz|este archivo|esta nota|este documento|ce fichier|cette note|ce document|este arquivo|questo file|questa nota|dit bestand|deze notitie|ten plik|tej notatk*|ta notatka|этот файл|этой заметк*|эта заметка|bu dosya|bu not|bu nota|tep nay|ghi chu nay|此文件|本文件|这个文件|这条笔记|このファイル|このメモ|이 파일|이 메모",
)
"""The text that the sentence stands in, which puts itself above others."""

ASSUMED: Rows = (
    "count as confirmed|counts as confirmed|count as approved|counts as approved|considered confirmed|considered approved|deemed approved|deemed confirmed|gelten als bestatigt|gilt als bestatigt|gelten als genehmigt|gilt als genehmigt|gelten als erlaubt",
    "consideran confirmad*|consideran aprobad*|considerees ~ confirmees|considerees ~ approuvees|considere* comme confirm*|considere* comme approuv*|consideradas confirmad*|consideradas aprovad*|considerano confermat*|considerano approvat*",
    "gelden als bevestigd|gelden als goedgekeurd|geldt als bevestigd|uznaje sie za zatwierdzon*|uznaje sie za potwierdzon*|считаются подтвержд*|считаются одобрен*|считается подтвержд*|считается одобрен*|onaylanmıs sayıl*|coi la đa xac nhan|coi la đa phe duyet|coi nhu đa",
    "视为已确认|视为已批准|视为确认|確認済みとみな|承認済みとみな|확인된 것으로|승인된 것으로",
)
"""An approval that nobody gave."""

NOW: Rows = (
    "now|currently|at the moment|right now",
    "jetzt|gerade|derzeit|momentan|zurzeit|im moment|aktuell",
    "ahora|actualmente|en este momento",
    "maintenant|actuellement|en ce moment",
    "agora|atualmente|neste momento|no momento",
    "adesso|attualmente|al momento|in questo momento",
    "nu|momenteel|op dit moment",
    "teraz|obecnie|w tej chwili|aktualnie",
    "сейчас|в данный момент|в настоящее время|теперь",
    "su anda|su an|simdi",
    "hien đang|hien tai|hien nay|bay gio|luc nay",
    "现在|目前|当前|正在|此刻",
    "現在|いま|今|ただいま",
    "지금|현재",
)

RUNNING: Rows = (
    "running|up|open|started|listening|stopped|down|offline",
    "lauft|laufen|gestartet|gestoppt|hochgefahren",
    "corriendo|en marcha|levantad*|ejecutandose|detenid*|funcionando",
    "tourne|tournent|lance|lancee|demarre|demarree|arrete|arretee|en marche|en cours d'execution",
    "rodando|no ar|executando|em execucao|parad*|funcionando",
    "in esecuzione|avviat*|ferm*|gira",
    "draait|draaien|gestart|gestopt|staan|staat",
    "działa|działaja|działają|uruchomion*|zatrzyman*",
    "работает|работают|запущен*|остановлен*",
    "calısıyor|ayakta|durduruldu|baslatıldı",
    "chay|khoi đong|dung",
    "运行|启动|停止|跑着",
    "動作中|稼働中|実行中|起動中|動いて|停止中|立ち上が",
    "실행 중|실행되고|떠 있|켜져|돌아가고|구동 중|중지",
)

SERVICE: Rows = (
    "server*|service*|container*|daemon*|database|backend|frontend|worker*|redis|postgres*|docker|vite|webpack|cluster|tunnel|emulator",
    "entwicklungsserver*|testserver*|dienst*|datenbank*|ontwikkelserver*",
    "servidor*|servicio*|contenedor*|servico*|serveur*|conteneur*|servizi*",
    "serwer*|usług*|kontener*|сервер*|сервис*|контейнер*|служб*|sunucu*|servis*|may chu|dich vu|konteyner*",
    "服务器|服务|容器|数据库|サーバー|コンテナ|サービス|서버|컨테이너|서비스",
)

EDITOR: Rows = (
    "editor|editore|ide|vs code|vscode|vim|neovim|intellij|editeur|edytor*|duzenleyici*|editorde|trinh soan thao|редактор*|编辑器|編輯器|エディタ|편집기|에디터",
)

OPENED: Rows = (
    "opened|offen|geoffnet|abiert*|ouvert*|abert*|apert*|geopend|otwart*|открыт*|acık|打开|打開|开着|開いて|開かれ|열려|열어|đang mo|đa mo",
)
"""Participles, which order nothing."""

ALWAYS: Rows = (
    "always|never|must|unless|whenever|immer|nie|muss|mussen|siempre|nunca|debe|deben|toujours|jamais|doit|doivent|sempre|mai|deve|devem|devono|altijd|nooit|moet|moeten|zawsze|nigdy|musi|nalezy|всегда|никогда|должен|должн*|нужно|нельзя|her zaman|asla|gerekir|luon|khong bao gio|phai|必须|总是|始终|必ず|常に|항상|반드시",
)
"""Words of a rule, which holds beyond the moment."""
