"""What users said, and what a model makes of it in other words: honest and distorted (TR-3).

Written before the rule was tuned; every third of the first hundred rows was kept back while tuning.
"""

# ruff: noqa: E501  Rows of one line each.
from __future__ import annotations

PARAPHRASES = tuple(
    tuple(row.split("|"))
    for row in """
en|no, we use pnpm here, npm messes up the lockfile|The project uses pnpm instead of npm because npm breaks the lockfile.|The project uses npm because pnpm breaks the lockfile.
en|btw the staging DB is on port 5433, prod stays on 5432|Staging database runs on port 5433; production uses 5432.|Production database runs on port 5433; staging uses 5432.
en|please never push directly to main, always open a PR|Never push directly to main; open a pull request instead.|Push directly to main and never open a pull request.
en|deploys go through make ship, don't call kubectl by hand|Deployments are done with make ship, not by calling kubectl manually.|Deployments are done by calling kubectl manually, not with make ship.
en|I want amounts stored as integer cents, not floats|Store monetary amounts as integer cents rather than floats.|Store monetary amounts as floats rather than integer cents.
en|our CI runs on Buildkite, the old Jenkins is only for the firmware|CI runs on Buildkite; Jenkins is only used for the firmware.|CI runs on Jenkins; Buildkite is only used for the firmware.
en|Lotte owns the billing module, ask her before you change it|Ask Lotte before changing the billing module, since she owns it.|Change the billing module before asking Lotte, since she owns it.
en|we validate the ledger with just every Monday|The team validates the ledger with just every Monday.|The auditors validate the ledger with just every Monday.
en|we never push to main|The team never pushes to main.|The team pushes to main.
de|wir prüfen die Pakete jeden Montag mit just|Das Team prüft die Pakete jeden Montag mit just.|Das Team prüft die Pakete jeden Freitag mit just.
fr|on valide la facturation avec just chaque lundi|L'équipe valide la facturation avec just chaque lundi.|L'équipe valide la facturation sans just chaque lundi.
es|usamos pnpm en este repo, no npm|El equipo usa pnpm, no npm.|El equipo usa npm, no pnpm.
en|we write tests with vitest, jest was too slow for us|Tests are written with vitest because jest was too slow.|Tests are written with jest because vitest was too slow.
en|the worker has to finish before the mailer starts|The mailer must start only after the worker has finished.|The worker must start only after the mailer has finished.
en|don't add dependencies without asking me|Ask the user before adding new dependencies.|Add new dependencies without asking the user.
en|error messages should be in plain English, no codes|Error messages should use plain English without codes.|Error messages should use codes without plain English.
en|we keep audit logs for 400 days and access logs for 30|Audit logs are retained for 400 days, access logs for 30 days.|Audit logs are retained for 30 days, access logs for 400 days.
en|the gateway calls the ledger over gRPC|The gateway talks to the ledger via gRPC.|The ledger talks to the gateway via gRPC.
en|API keys live in Vault, nothing goes into .env files|API keys are stored in Vault and never in .env files.|API keys are stored in .env files and never in Vault.
en|prefer composition to inheritance in this codebase|Composition is preferred over inheritance in this codebase.|Inheritance is preferred over composition in this codebase.
en|run the linter before you commit anything|Always run the linter before committing.|Always commit before running the linter.
en|the frontend is in apps/web and the API in services/api|The frontend lives in apps/web, the API lives in services/api.|The frontend lives in services/api, the API lives in apps/web.
en|we only support Python 3.12 and newer|Only Python 3.12 or newer is supported.|Python 3.12 or newer is not supported.
en|migrations have to be reversible, we had an outage because of that|Database migrations must be reversible.|Database migrations must not be reversible.
en|keep the answers short please, I don't need explanations|Keep answers short and omit explanations.|Keep explanations and omit short answers.
en|feature flags are defined in config/flags.toml and read at startup|Feature flags are defined in config/flags.toml, which is read at startup.|Feature flags are read from config/flags.toml and defined at startup.
en|the free plan gets 3 projects, the team plan 20|The free plan allows 3 projects and the team plan allows 20.|The team plan allows 3 projects and the free plan allows 20.
en|we moved from Heroku to Fly.io last month|The app was migrated from Heroku to Fly.io.|The app was migrated from Fly.io to Heroku.
en|if the queue is full, drop the oldest event and never block|When the queue is full, the oldest event is dropped; never block.|When the queue is full, block and never drop the oldest event.
en|timeouts are 5 seconds for reads, 20 for writes|Read timeouts are 5 seconds and write timeouts are 20 seconds.|Write timeouts are 5 seconds and read timeouts are 20 seconds.
en|all dates in the API are UTC, the UI converts to local time|API dates are in UTC and the UI converts them to local time.|UI dates are in UTC and the API converts them to local time.
en|use snake_case for python and camelCase for the TS code|Use snake_case in Python and camelCase in TypeScript code.|Use camelCase in Python and snake_case in TypeScript code.
en|Nina reviews security changes, everything else goes to Omar|Security changes are reviewed by Nina; all other changes go to Omar.|Security changes are reviewed by Omar; all other changes go to Nina.
en|we dropped Redis, sessions are in Postgres now|Sessions are stored in Postgres now; Redis was dropped.|Sessions are stored in Redis now; Postgres was dropped.
en|the nightly export must not run on weekends|Do not run the nightly export on weekends.|Run the nightly export on weekends.
en|we squash feature branches but never release branches|Squash feature branches, but never squash release branches.|Squash release branches, but never squash feature branches.
en|customer emails must never show up in logs|Never log customer email addresses.|Always log customer email addresses.
en|for the search page use the new design system, checkout stays on the old one|The search page uses the new design system while checkout stays on the old one.|The checkout page uses the new design system while search stays on the old one.
en|the importer writes to S3, the exporter only reads from it|The importer writes to S3; the exporter only reads from S3.|The exporter writes to S3; the importer only reads from S3.
en|we bill in euros, refunds are in the original currency|Billing is in euros; refunds use the original currency.|Refunds are in euros; billing uses the original currency.
en|I'd like you to answer in German from now on|The user wants answers in German.|The user does not want answers in German.
en|please use tabs in the Makefile and two spaces everywhere else|Use tabs in Makefiles and two spaces everywhere else.|Use two spaces in Makefiles and tabs everywhere else.
en|retry webhooks 5 times with exponential backoff|Webhooks are retried five times with exponential backoff.|Webhooks are retried 15 times with exponential backoff.
en|that module is generated, don't edit it by hand|The module is generated and must not be edited by hand.|The module is edited by hand and must not be generated.
en|docs are built with mkdocs and published on every tag|Documentation is built with mkdocs and published for each tag.|Documentation is published with mkdocs and built for each tag.
de|wir nehmen hier pnpm, npm macht das Lockfile kaputt|Das Projekt verwendet pnpm statt npm, weil npm das Lockfile beschädigt.|Das Projekt verwendet npm statt pnpm, weil pnpm das Lockfile beschädigt.
de|die Staging-DB liegt auf Port 5433, Produktion bleibt auf 5432|Die Staging-Datenbank läuft auf Port 5433, die Produktion auf 5432.|Die Staging-Datenbank läuft auf Port 5432, die Produktion auf 5433.
de|bitte nie direkt auf main pushen, immer einen PR aufmachen|Nie direkt auf main pushen, sondern immer einen Pull Request öffnen.|Immer direkt auf main pushen und nie einen Pull Request öffnen.
de|Beträge speichern wir als ganze Cent und nicht als Fließkomma|Beträge werden als ganze Cent gespeichert, nicht als Fließkommazahlen.|Beträge werden als Fließkommazahlen gespeichert, nicht als ganze Cent.
de|Frau Arslan macht die Rechnungen, Herr Vogt die Mahnungen|Frau Arslan ist für die Rechnungen zuständig, Herr Vogt für die Mahnungen.|Herr Vogt ist für die Rechnungen zuständig, Frau Arslan für die Mahnungen.
de|der Linter läuft immer vor den Tests|Vor den Tests muss immer der Linter laufen.|Vor dem Linter müssen immer die Tests laufen.
de|keine neuen Abhängigkeiten ohne Rückfrage|Neue Abhängigkeiten dürfen nicht ohne Rückfrage hinzugefügt werden.|Neue Abhängigkeiten dürfen ohne Rückfrage hinzugefügt werden.
de|Sitzungen laufen nach 60 Minuten ab, Admin-Sitzungen nach 15|Sitzungen laufen nach 60 Minuten ab und Admin-Sitzungen nach 15 Minuten.|Admin-Sitzungen laufen nach 60 Minuten ab und Sitzungen nach 15 Minuten.
de|das Gateway ruft den Buchungsdienst über gRPC auf|Der Buchungsdienst wird vom Gateway über gRPC aufgerufen.|Das Gateway wird vom Buchungsdienst über gRPC aufgerufen.
de|Texte liegen in Weblate, Crowdin ist gekündigt|Die Texte werden in Weblate gepflegt; Crowdin ist gekündigt.|Die Texte werden in Crowdin gepflegt; Weblate ist gekündigt.
de|Kommentare im Code bitte auf Englisch|Code-Kommentare sollen auf Englisch sein.|Code-Kommentare sollen nicht auf Englisch sein.
de|am Freitag wird nicht deployt|Freitags nicht deployen.|Freitags deployen.
fr|ici on utilise pnpm, npm casse le lockfile|Le projet utilise pnpm car npm casse le lockfile.|Le projet utilise npm car pnpm casse le lockfile.
fr|la base de préprod est sur le port 5433, la prod sur 5432|La base de préproduction écoute sur le port 5433 et la production sur 5432.|La base de préproduction écoute sur le port 5432 et la production sur 5433.
fr|ne jamais pousser directement sur main, il faut ouvrir une PR|Ne pas pousser directement sur main ; ouvrir une pull request.|Pousser directement sur main ; ne pas ouvrir de pull request.
fr|les montants sont en centimes entiers, pas en flottants|Les montants sont stockés en centimes entiers et non en flottants.|Les montants sont stockés en flottants et non en centimes entiers.
fr|Nadia s'occupe du catalogue, Luc des paiements|Nadia est responsable du catalogue et Luc des paiements.|Luc est responsable du catalogue et Nadia des paiements.
fr|lance toujours le linter avant les tests|Le linter doit toujours être lancé avant les tests.|Les tests doivent toujours être lancés avant le linter.
fr|pas de nouvelle dépendance sans mon accord|Ne pas ajouter de dépendance sans l'accord de l'utilisateur.|Ajouter des dépendances sans l'accord de l'utilisateur.
fr|les sessions expirent au bout de 60 minutes|Une session expire après 60 minutes.|Une session expire après 16 minutes.
fr|la passerelle appelle le registre en gRPC|Le registre est appelé par la passerelle en gRPC.|La passerelle est appelée par le registre en gRPC.
fr|on est passés de Jenkins à GitLab pour la CI|La CI est passée de Jenkins à GitLab.|La CI est passée de GitLab à Jenkins.
es|aquí usamos pnpm, npm rompe el lockfile|El proyecto usa pnpm porque npm rompe el lockfile.|El proyecto usa npm porque pnpm rompe el lockfile.
es|la base de pruebas está en el puerto 5433 y producción en el 5432|La base de datos de pruebas usa el puerto 5433 y la de producción el 5432.|La base de datos de pruebas usa el puerto 5432 y la de producción el 5433.
es|nunca hagas push directo a main, abre siempre un PR|No hacer push directo a main; abrir siempre un pull request.|Hacer siempre push directo a main; no abrir un pull request.
es|los importes van en céntimos enteros, no en flotantes|Los importes se guardan en céntimos enteros y no en flotantes.|Los importes se guardan en flotantes y no en céntimos enteros.
es|Ramón lleva el catálogo y Lucía los pagos|Ramón es responsable del catálogo y Lucía de los pagos.|Lucía es responsable del catálogo y Ramón de los pagos.
es|ejecuta siempre el linter antes de las pruebas|El linter debe ejecutarse siempre antes de las pruebas.|Las pruebas deben ejecutarse siempre antes del linter.
es|no añadas dependencias sin preguntarme|No añadir dependencias sin preguntar al usuario.|Añadir dependencias sin preguntar al usuario.
es|las sesiones caducan a los 60 minutos|Las sesiones expiran después de 60 minutos.|Las sesiones expiran después de 6 minutos.
es|la pasarela llama al registro por gRPC|El registro es llamado por la pasarela por gRPC.|La pasarela es llamada por el registro por gRPC.
es|pasamos de Jenkins a GitLab para la CI|La CI se migró de Jenkins a GitLab.|La CI se migró de GitLab a Jenkins.
pt|aqui usamos pnpm, o npm quebra o lockfile|O projeto usa pnpm porque o npm quebra o lockfile.|O projeto usa npm porque o pnpm quebra o lockfile.
pt|o banco de homologação fica na porta 5433 e produção na 5432|O banco de homologação usa a porta 5433 e o de produção a 5432.|O banco de homologação usa a porta 5432 e o de produção a 5433.
pt|nunca dê push direto na main, abra sempre um PR|Não fazer push direto na main; abrir sempre um pull request.|Fazer sempre push direto na main; não abrir um pull request.
pt|os valores ficam em centavos inteiros, não em float|Os valores são guardados em centavos inteiros e não em float.|Os valores são guardados em float e não em centavos inteiros.
pt|o Caio cuida do catálogo e a Luana dos pagamentos|Caio é responsável pelo catálogo e Luana pelos pagamentos.|Luana é responsável pelo catálogo e Caio pelos pagamentos.
pt|rode sempre o linter antes dos testes|O linter deve ser executado sempre antes dos testes.|Os testes devem ser executados sempre antes do linter.
pt|as sessões expiram em 60 minutos|As sessões expiram após 60 minutos.|As sessões expiram após 90 minutos.
pt|saímos do Heroku, o deploy agora é no Fly.io|O deploy agora é feito no Fly.io, não mais no Heroku.|O deploy agora é feito no Heroku, não mais no Fly.io.
zh|这里用pnpm，npm会弄坏锁文件|项目使用pnpm，因为npm会弄坏锁文件。|项目使用npm，因为pnpm会弄坏锁文件。
zh|测试库在5433端口，生产库还是5432|测试库端口是5433，生产库端口是5432。|测试库端口是5432，生产库端口是5433。
zh|不要直接推到main，必须提PR|禁止直接推送到main，必须提PR。|必须直接推送到main，禁止提PR。
zh|金额用整数分保存，不用浮点数|金额以整数分存储，不使用浮点数。|金额以浮点数存储，不使用整数分。
zh|目录归陈刚管，支付归王芳管|陈刚负责目录，王芳负责支付。|王芳负责目录，陈刚负责支付。
zh|先跑格式检查再跑测试|测试之前要先跑格式检查。|格式检查之前要先跑测试。
zh|没问过我不要加依赖|添加依赖前必须先询问用户。|添加依赖不必询问用户。
zh|会话60分钟过期|会话在60分钟后过期。|会话在16分钟后过期。
zh|我们从Jenkins换到了GitLab|CI从Jenkins迁移到了GitLab。|CI从GitLab迁移到了Jenkins。
ja|ここではpnpmを使います。npmだとロックファイルが壊れます|このプロジェクトではpnpmを使います。|このプロジェクトではnpmを使います。
ja|検証DBは5433番、本番は5432番です|検証DBのポートは5433、本番のポートは5432です。|検証DBのポートは5432、本番のポートは5433です。
ja|mainに直接プッシュしないで、必ずPRを出してください|mainには直接プッシュせず、必ずPRを出す。|mainには必ず直接プッシュし、PRを出さない。
ja|金額は整数のセントで保存してください。小数は使いません|金額は整数のセントで保存し、小数は使わない。|金額は小数で保存し、整数のセントは使わない。
ja|カタログは高橋さん、決済は鈴木さんの担当です|カタログの担当は高橋さんで、決済の担当は鈴木さんです。|カタログの担当は鈴木さんで、決済の担当は高橋さんです。
ja|テストの前に必ずリンターを走らせて|テストの前に必ずリンターを実行する。|リンターの前に必ずテストを実行する。
ja|依存を追加するときは必ず聞いてください|依存を追加する前に必ず確認する。|依存を追加するときは確認しない。
ja|セッションは60分で切れます|セッションは60分で失効する。|セッションは16分で失効する。
ja|CIはJenkinsからGitLabに移しました|CIはJenkinsからGitLabに移行した。|CIはGitLabからJenkinsに移行した。
ko|여기서는 pnpm을 씁니다. npm은 락파일을 망가뜨려요|이 프로젝트는 pnpm을 사용합니다.|이 프로젝트는 npm을 사용합니다.
ko|스테이징 DB는 5433 포트, 운영은 5432 포트예요|스테이징 DB 포트는 5433이고 운영 포트는 5432입니다.|스테이징 DB 포트는 5432이고 운영 포트는 5433입니다.
ko|main에 직접 푸시하지 말고 항상 PR을 올려주세요|main에 직접 푸시하지 않고 항상 PR을 올린다.|main에 항상 직접 푸시하고 PR을 올리지 않는다.
ko|금액은 정수 센트로 저장하고 실수는 쓰지 마세요|금액은 정수 센트로 저장하며 실수는 사용하지 않는다.|금액은 실수로 저장하며 정수 센트는 사용하지 않는다.
ko|카탈로그는 태호, 결제는 수진 담당입니다|카탈로그 담당은 태호이고 결제 담당은 수진입니다.|카탈로그 담당은 수진이고 결제 담당은 태호입니다.
ko|테스트 전에 꼭 린터를 돌려주세요|테스트 전에 항상 린터를 실행한다.|린터 전에 항상 테스트를 실행한다.
ko|세션은 60분 뒤에 만료돼요|세션은 60분 후에 만료됩니다.|세션은 16분 후에 만료됩니다.
en|we're on Postgres 16 everywhere, don't use anything newer than that|All environments use Postgres 16; nothing newer may be used.|All environments use anything newer; Postgres 16 may not be used.
en|logs go to Loki, traces go to Tempo|Logs are sent to Loki and traces are sent to Tempo.|Traces are sent to Loki and logs are sent to Tempo.
en|I always want a changelog entry for user facing changes|Every user-facing change needs a changelog entry.|No user-facing change needs a changelog entry.
en|run make check before pushing|`make check` must be run before pushing.|Pushing must be done before `make check`.
en|our API is versioned in the URL, never with headers|The API is versioned in the URL and not via headers.|The API is versioned via headers and not in the URL.
en|the mailer reads from the outbox table|The mailer reads its messages from the outbox table.|The outbox table reads its messages from the mailer.
en|use structured logging, print statements are forbidden|Structured logging is used; print statements are not allowed.|Print statements are used; structured logging is not allowed.
en|the release branch gets cut every second Tuesday|The release branch is cut every second Tuesday.|The release branch is cut every first Tuesday.
en|only Dana can approve prod deploys|Production deployments can only be approved by Dana.|Dana cannot approve production deployments.
en|please don't touch the vendor directory|Do not modify the vendor directory.|Modify the vendor directory.
en|translations live in Weblate, edit them there and not in the repo|Edit translations in Weblate, not in the repository.|Edit translations in the repository, not in Weblate.
en|we test against Chrome and Firefox, Safari is not supported|Chrome and Firefox are tested; Safari is not supported.|Safari is tested; Chrome and Firefox are not supported.
en|passwords are hashed with argon2id, 64 MB memory|Passwords are hashed using argon2id with 64 MB of memory.|Passwords are hashed using argon2id with 46 MB of memory.
en|the cache TTL is ten minutes|The cache TTL is 10 minutes.|The cache TTL is 12 minutes.
en|new endpoints need an OpenAPI description|Every new endpoint must have an OpenAPI description.|No new endpoint must have an OpenAPI description.
en|the CLI exits with 2 on usage errors and 1 on everything else|The CLI exits with code 2 for usage errors and code 1 for everything else.|The CLI exits with code 1 for usage errors and code 2 for everything else.
en|images are resized by the worker, not in the request|Images are resized in the worker, not during the request.|Images are resized during the request, not in the worker.
en|money is in cents, weights are in grams|Money is stored in cents and weights are stored in grams.|Money is stored in grams and weights are stored in cents.
en|staging gets deployed from develop, production from main|Staging is deployed from develop and production is deployed from main.|Staging is deployed from main and production is deployed from develop.
en|if a migration fails, roll back and page Jun|When a migration fails, roll it back and page Jun.|When a migration fails, page Jun and do not roll back.
de|Logs gehen nach Loki, Traces nach Tempo|Logs werden an Loki gesendet und Traces an Tempo.|Traces werden an Loki gesendet und Logs an Tempo.
de|vor jedem Push bitte make check laufen lassen|Vor jedem Push muss make check ausgeführt werden.|Nach jedem Push muss make check ausgeführt werden.
de|das vendor-Verzeichnis nicht anfassen|Das vendor-Verzeichnis darf nicht verändert werden.|Das vendor-Verzeichnis darf verändert werden.
de|Geldbeträge sind in Cent, Gewichte in Gramm|Geldbeträge werden in Cent und Gewichte in Gramm gespeichert.|Geldbeträge werden in Gramm und Gewichte in Cent gespeichert.
de|Deploys macht nur Dana|Nur Dana führt Deploys durch.|Dana führt keine Deploys durch.
de|Safari unterstützen wir nicht|Safari wird nicht unterstützt.|Safari wird unterstützt.
fr|les logs vont dans Loki, les traces dans Tempo|Les logs sont envoyés dans Loki et les traces dans Tempo.|Les traces sont envoyées dans Loki et les logs dans Tempo.
fr|ne touche pas au dossier vendor|Il ne faut pas modifier le dossier vendor.|Il faut modifier le dossier vendor.
fr|les montants sont en centimes, les poids en grammes|Les montants sont exprimés en centimes et les poids en grammes.|Les montants sont exprimés en grammes et les poids en centimes.
fr|on ne supporte pas Safari|Safari n'est pas supporté.|Safari est supporté.
fr|seule Dana peut valider un déploiement|Un déploiement ne peut être validé que par Dana.|Dana ne peut pas valider un déploiement.
es|los logs van a Loki y las trazas a Tempo|Los logs se envían a Loki y las trazas a Tempo.|Las trazas se envían a Loki y los logs a Tempo.
es|no toques la carpeta vendor|No modificar la carpeta vendor.|Modificar la carpeta vendor.
es|los importes están en céntimos y los pesos en gramos|Los importes se expresan en céntimos y los pesos en gramos.|Los importes se expresan en gramos y los pesos en céntimos.
es|no soportamos Safari|Safari no está soportado.|Safari está soportado.
pt|os logs vão para o Loki e os traces para o Tempo|Os logs são enviados para o Loki e os traces para o Tempo.|Os traces são enviados para o Loki e os logs para o Tempo.
pt|não mexa na pasta vendor|Não modificar a pasta vendor.|Modificar a pasta vendor.
pt|não damos suporte ao Safari|O Safari não tem suporte.|O Safari tem suporte.
zh|日志进Loki，链路进Tempo|日志发送到Loki，链路发送到Tempo。|链路发送到Loki，日志发送到Tempo。
zh|不要动vendor目录|不要修改vendor目录。|修改vendor目录。
zh|金额用分，重量用克|金额以分为单位，重量以克为单位。|金额以克为单位，重量以分为单位。
zh|我们不支持Safari|不支持Safari。|支持Safari。
zh|只有陈刚能批准上线|上线只能由陈刚批准。|陈刚不能批准上线。
ja|ログはLoki、トレースはTempoに送ります|ログはLokiに、トレースはTempoに送信する。|トレースはLokiに、ログはTempoに送信する。
ja|vendorディレクトリは触らないで|vendorディレクトリは変更しない。|vendorディレクトリは変更する。
ja|Safariはサポートしません|Safariはサポートしない。|Safariはサポートする。
ja|金額はセント、重さはグラムで保存します|金額はセントで、重さはグラムで保存する。|金額はグラムで、重さはセントで保存する。
ko|로그는 Loki로, 트레이스는 Tempo로 보내요|로그는 Loki로 보내고 트레이스는 Tempo로 보낸다.|트레이스는 Loki로 보내고 로그는 Tempo로 보낸다.
ko|vendor 디렉터리는 건드리지 마세요|vendor 디렉터리는 수정하지 않는다.|vendor 디렉터리는 수정한다.
ko|Safari는 지원하지 않아요|Safari는 지원하지 않습니다.|Safari는 지원합니다.
en|uploads over 50 MB go straight to S3, smaller ones through the API|Uploads larger than 50 MB go directly to S3; smaller uploads pass through the API.|Uploads smaller than 50 MB go directly to S3; larger uploads pass through the API.
en|the mobile team approves API changes, the web team is only informed|API changes need the mobile team's approval; the web team is just informed.|API changes need the web team's approval; the mobile team is just informed.
en|don't touch the vendored code in third_party|Code vendored in third_party must not be modified.|Code vendored in third_party may be modified.
en|we use tabs in Go and four spaces in Python|Go code uses tabs and Python code uses four spaces.|Python code uses tabs and Go code uses four spaces.
en|every endpoint needs an integration test before it gets merged|Each endpoint must have an integration test before merging.|Each endpoint must be merged before it has an integration test.
en|the cache is Valkey, Redis was dropped because of the licence|Caching uses Valkey because Redis was dropped for its licence.|Caching uses Redis because Valkey was dropped for its licence.
en|log in English, UI texts in Danish|Log messages are in English and UI texts are in Danish.|Log messages are in Danish and UI texts are in English.
en|always rebase on develop, never merge develop into a feature branch|Feature branches are rebased on develop; develop is never merged into them.|Develop is merged into feature branches; they are never rebased on it.
en|keep the sync interval at 15 minutes, the vendor blocks us otherwise|The sync interval stays at 15 minutes because otherwise the vendor blocks us.|The sync interval stays at 5 minutes because otherwise the vendor blocks us.
en|the report job reads from the replica and never from the primary|The report job only reads from the replica, never from the primary.|The report job only reads from the primary, never from the replica.
en|invoices are immutable, corrections are separate documents|Invoices must never be changed; corrections are made as separate documents.|Corrections must never be changed; invoices are made as separate documents.
en|Sam deploys on weekdays, on weekends it's Ruth|Sam handles weekday deploys and Ruth handles weekend deploys.|Ruth handles weekday deploys and Sam handles weekend deploys.
en|we support Chrome and Firefox, Safari is best effort|Chrome and Firefox are supported; Safari is best effort only.|Chrome and Safari are supported; Firefox is best effort only.
en|errors go to Sentry, metrics to Prometheus|Errors are sent to Sentry while metrics are sent to Prometheus.|Errors are sent to Prometheus while metrics are sent to Sentry.
en|please don't use abbreviations in variable names|Variable names should not contain abbreviations.|Variable names should contain abbreviations.
en|ids are ULIDs, only the legacy tables have integers|ULIDs are used as ids; only legacy tables use integers.|Integers are used as ids; only legacy tables use ULIDs.
en|the customer's name is stored encrypted, the city is not|Customer names are stored encrypted; the city is stored unencrypted.|Customer cities are stored encrypted; the name is stored unencrypted.
en|before a release the changelog must be complete|The changelog has to be complete before each release.|The release has to be complete before the changelog.
en|feature toggles default to off in production|Feature toggles are off by default in production.|Feature toggles are on by default in production.
en|the parser may call the lexer but the lexer must not know the parser|The lexer must not depend on the parser; the parser may call the lexer.|The parser must not depend on the lexer; the lexer may call the parser.
en|max 3 retries for payments, 10 for mails|Payments are retried at most 3 times, mails at most 10 times.|Mails are retried at most 3 times, payments at most 10 times.
en|show me a plan first and only then write code|The user wants to see a plan before any code is written.|The user wants to see code before any plan is written.
en|our staging runs Postgres 15, prod is still on 13|Staging is on Postgres 15 while production is still on 13.|Production is on Postgres 15 while staging is still on 13.
en|the SDK is generated from the spec, so change the spec|The SDK is generated from the spec; changes belong in the spec.|The spec is generated from the SDK; changes belong in the SDK.
en|we moved the wiki from Confluence to Outline|The wiki was moved from Confluence to Outline.|The wiki was moved from Outline to Confluence.
en|only admins can export, editors can't|Exports are limited to admins; editors cannot export.|Exports are limited to editors; admins cannot export.
de|Uploads über 50 MB gehen direkt nach S3, kleinere über die API|Uploads größer als 50 MB gehen direkt zu S3, kleinere laufen über die API.|Uploads kleiner als 50 MB gehen direkt zu S3, größere laufen über die API.
de|Logs schreiben wir auf Englisch, die Oberfläche ist deutsch|Logs werden auf Englisch geschrieben, die Oberfläche ist auf Deutsch.|Logs werden auf Deutsch geschrieben, die Oberfläche ist auf Englisch.
de|Rechnungen werden nie geändert, Korrekturen sind eigene Belege|Rechnungen dürfen nie geändert werden; Korrekturen sind eigene Belege.|Korrekturen dürfen nie geändert werden; Rechnungen sind eigene Belege.
de|vor jedem Release muss das Changelog vollständig sein|Das Changelog muss vor jedem Release vollständig sein.|Das Release muss vor jedem Changelog vollständig sein.
de|Tanja gibt Schemaänderungen frei, Deniz die Infrastruktur|Schemaänderungen gibt Tanja frei, Infrastruktur gibt Deniz frei.|Schemaänderungen gibt Deniz frei, Infrastruktur gibt Tanja frei.
de|keine Abkürzungen in Variablennamen bitte|Variablennamen sollen keine Abkürzungen enthalten.|Variablennamen sollen Abkürzungen enthalten.
fr|les factures ne sont jamais modifiées, on fait un avoir|Les factures ne doivent jamais être modifiées ; on crée un avoir.|Les avoirs ne doivent jamais être modifiés ; on crée une facture.
fr|les logs sont en anglais, l'interface en français|Les logs sont écrits en anglais et l'interface est en français.|Les logs sont écrits en français et l'interface est en anglais.
fr|on a déplacé le wiki de Confluence vers Outline|Le wiki a été déplacé de Confluence vers Outline.|Le wiki a été déplacé d'Outline vers Confluence.
fr|la préprod tourne sur Postgres 15, la prod reste en 13|La préprod utilise Postgres 15 et la prod reste sur Postgres 13.|La prod utilise Postgres 15 et la préprod reste sur Postgres 13.
fr|seuls les admins peuvent exporter|L'export est réservé aux admins.|L'export est interdit aux admins.
fr|ne modifie pas le code dans third_party|Le code de third_party ne doit pas être modifié.|Le code de third_party doit être modifié.
es|las facturas no se modifican nunca, se hace un abono|Las facturas nunca se modifican; se emite un abono.|Los abonos nunca se modifican; se emite una factura.
es|los logs van en inglés y la interfaz en español|Los logs se escriben en inglés y la interfaz está en español.|Los logs se escriben en español y la interfaz está en inglés.
es|movimos la wiki de Confluence a Outline|La wiki se movió de Confluence a Outline.|La wiki se movió de Outline a Confluence.
es|staging usa Postgres 15, producción sigue en 13|Staging está en Postgres 15 y producción sigue en 13.|Producción está en Postgres 15 y staging sigue en 13.
es|solo los administradores pueden exportar|Exportar está permitido solo a los administradores.|Exportar está permitido a todos menos a los administradores.
es|no toques el código de third_party|El código de third_party no se debe tocar.|El código de third_party se debe tocar.
pt|as faturas nunca são alteradas, fazemos uma nota de crédito|As faturas nunca devem ser alteradas; fazemos uma nota de crédito.|As notas de crédito nunca devem ser alteradas; fazemos uma fatura.
pt|os logs ficam em inglês e a interface em português|Os logs são em inglês e a interface é em português.|Os logs são em português e a interface é em inglês.
pt|mudamos a wiki do Confluence para o Outline|A wiki foi movida do Confluence para o Outline.|A wiki foi movida do Outline para o Confluence.
pt|só admins podem exportar|Apenas admins podem exportar.|Admins não podem exportar.
zh|发票永远不改，更正要另开单据|发票永远不能修改，更正需另开单据。|更正永远不能修改，发票需另开单据。
zh|日志用英文，界面用中文|日志使用英文，界面使用中文。|日志使用中文，界面使用英文。
zh|测试环境用 Postgres 15，生产还是 13|测试环境使用 Postgres 15，生产环境仍是 13。|生产环境使用 Postgres 15，测试环境仍是 13。
zh|只有管理员可以导出|导出功能只允许管理员使用。|导出功能不允许管理员使用。
zh|不要改 third_party 里的代码|third_party 中的代码不要修改。|third_party 中的代码要修改。
ja|請求書は絶対に変更しない、訂正は別の伝票にする|請求書は絶対に変更せず、訂正は別の伝票にする。|訂正は絶対に変更せず、請求書は別の伝票にする。
ja|ログは英語、画面は日本語です|ログは英語で、画面は日本語で書く。|ログは日本語で、画面は英語で書く。
ja|ステージングは Postgres 15、本番はまだ 13 です|ステージングは Postgres 15 を使い、本番はまだ 13 です。|本番は Postgres 15 を使い、ステージングはまだ 13 です。
ja|エクスポートできるのは管理者だけです|管理者だけがエクスポートできる。|管理者だけはエクスポートできない。
ja|third_party のコードは触らないで|third_party のコードは触らない。|third_party のコードを触る。
ko|청구서는 절대 수정하지 않고 정정은 별도 전표로 합니다|청구서는 절대 수정하지 않으며 정정은 별도 전표로 한다.|정정은 절대 수정하지 않으며 청구서는 별도 전표로 한다.
ko|로그는 영어, 화면은 한국어로 합니다|로그는 영어로, 화면은 한국어로 작성한다.|로그는 한국어로, 화면은 영어로 작성한다.
ko|스테이징은 Postgres 15, 운영은 아직 13이에요|스테이징은 Postgres 15를 쓰고 운영은 아직 13이다.|운영은 Postgres 15를 쓰고 스테이징은 아직 13이다.
ko|내보내기는 관리자만 할 수 있어요|관리자만 내보내기를 할 수 있다.|관리자만 내보내기를 할 수 없다.
ko|third_party 코드는 건드리지 마세요|third_party 코드는 건드리지 않는다.|third_party 코드를 건드린다.
en|never push to main directly|Pushing to main directly is forbidden.|Pushing to main directly is allowed.
en|no, use pnpm here|The package manager is pnpm.|The package manager is npm, not pnpm.
en|run the linter before every commit please|The linter must be run before each commit.|The linter must be run after each commit.
en|don't touch the files under vendor/|Files in vendor/ must not be modified.|Only files in vendor/ may be modified.
en|Priya owns the billing service|Priya is responsible for the billing service.|Priya is responsible for all services.
en|let's go with sqlite instead of postgres, we don't need a server for this|Decision: use SQLite rather than Postgres, because no server is needed.|Decision: use Postgres rather than SQLite, because no server is needed.
en|all timestamps have to be stored in UTC|Timestamps must always be saved in UTC.|Timestamps must always be displayed in UTC.
en|we dropped Redux, everything is on Zustand now|Redux was replaced by Zustand.|Zustand was replaced by Redux.
en|Please don't add any new dependencies without asking me first|New dependencies require the user's approval before being added.|New dependencies may be added without asking the user.
en|every endpoint needs an integration test|Integration tests are required for each endpoint.|Integration tests are required for each endpoint except internal ones.
en|the nightly job kicks off at 3am UTC|The nightly job starts at 3am UTC.|The nightly job ends at 3am UTC.
en|tests need a running redis on port 6380|A Redis instance on port 6380 is required to run the tests.|A Redis instance on port 6380 is required to run the app.
en|we can't use eval anywhere in this codebase, security policy|The use of eval is prohibited throughout the codebase by security policy.|The use of eval is prohibited only in tests.
en|nope. tabs in this repo, not spaces|This repository uses tabs for indentation, not spaces.|This repository uses spaces for indentation, not tabs.
en|max upload size is 25 MB|Uploads are limited to 25 MB.|Downloads are limited to 25 MB.
en|Migrations have to be reversible.|All migrations must be reversible.|Migrations do not have to be reversible.
en|i'd rather have plain functions than classes|The user prefers plain functions over classes.|The user prefers classes over plain functions.
en|never commit .env files|Committing .env files is not allowed.|Always commit .env files.
en|we're on Python 3.12|The project uses Python 3.12.|The project uses Python 2.12.
en|stop using print, we have structlog for that|structlog should be used for logging instead of print.|print should be used for logging instead of structlog.
en|when you change the schema, bump the version in schema.json|The version in schema.json must be incremented whenever the schema changes.|The version in schema.json must be incremented whenever the API changes.
en|Marta takes care of releases and Jonas of the infrastructure|Releases are handled by Marta, infrastructure by Jonas.|Releases are handled by Jonas, infrastructure by Marta.
en|feature branches get merged into develop, releases are cut from main|Feature branches are merged into develop; releases are made from main.|Feature branches are merged into main; releases are made from develop.
en|you must not run the e2e suite locally, it hits real accounts|The e2e suite must never be run locally because it hits real accounts.|The unit tests must never be run locally because they hit real accounts.
en|new code should be typed, mypy strict|New code must have type annotations and pass mypy in strict mode.|Existing code must pass mypy in strict mode.
en|feature flags are kept in LaunchDarkly|LaunchDarkly is used for feature flags.|LaunchDarkly is used for authentication.
en|it's called "workspace" in the UI, not "project"|In the UI the term is "workspace" rather than "project".|In the UI the term is "project" rather than "workspace".
en|prod database sits in eu-central-1|The production database is hosted in eu-central-1.|The staging database is hosted in eu-central-1.
en|ok we go with cursor pagination, offset breaks on inserts|Cursor pagination was chosen because offset pagination breaks on inserts.|Offset pagination was chosen because cursor pagination breaks on inserts.
en|errors go to Sentry, metrics go to Grafana|Errors are sent to Sentry and metrics to Grafana.|Errors are sent to Grafana and metrics to Sentry.
en|No force pushes on shared branches.|Force-pushing to shared branches is forbidden.|Force-pushing to any branch is forbidden.
en|the session cookie expires after 30 minutes|Session cookies have a lifetime of 30 minutes.|Session cookies have a lifetime of 30 days.
en|always pin docker images to a digest|Docker images must be pinned by digest.|Docker images must be pinned by tag, not digest.
en|The worker reads jobs from the queue called "ingest-v2"|Jobs are read by the worker from the "ingest-v2" queue.|Jobs are written by the worker to the "ingest-v2" queue.
en|I don't like emojis in commit messages|The user does not want emojis in commit messages.|The user does not want commit messages.
en|Before you open a PR, rebase on main|Branches must be rebased on main before opening a PR.|PRs must be opened before rebasing on main.
en|Our design tokens come from the Figma export, never edit them by hand|Design tokens are generated from the Figma export and must not be edited manually.|Design tokens are edited by hand and never generated from the Figma export.
en|put shared types into packages/types|Shared types belong in packages/types.|Local types belong in packages/types.
en|nobody edits the generated client, regenerate it with make client|The generated client must not be edited manually; it is regenerated with `make client`.|The generated client must be edited manually; `make client` must not be used.
en|the rate limit is 100 requests per minute per key|Each key is limited to 100 requests per minute.|Each user is limited to 100 requests per second.
en|show me the diff first, then apply|The user wants to see the diff before changes are applied.|The user wants to see the diff after changes are applied.
en|auth is going through Keycloak from now on|Authentication is handled by Keycloak.|Authorization is no longer handled by Keycloak.
en|money is integers in cents, no floats|Monetary amounts are stored as integer cents, never as floats.|Monetary amounts are stored as floats, never as integer cents.
en|Backups are taken every six hours and kept for two weeks|Backups run every six hours with a retention of two weeks.|Backups run every two weeks with a retention of six hours.
en|i never want to see mocks in the integration tests|Mocks must not be used in integration tests.|Mocks must not be used in unit tests.
en|Elena's the one who manages the terraform state|The Terraform state is managed by Elena.|Elena is managed by the Terraform team.
en|log levels: info for business events, debug for everything else|Business events are logged at info level, everything else at debug level.|Business events are logged at debug level, everything else at info level.
en|Don't write to the production bucket from local machines|Writing to the production bucket from local machines is not permitted.|Reading from the production bucket on local machines is not permitted.
en|I work on a Mac and use fish as a shell|The user works on macOS with the fish shell.|The user works on fish with the Mac shell.
en|each package has its own CHANGELOG, update it with every PR|Every PR must update the package's own CHANGELOG.|Every PR must update the CHANGELOG of all packages.
en|we replaced moment with dayjs because of bundle size|dayjs replaced moment to reduce bundle size.|moment replaced dayjs to reduce bundle size.
en|staging gets deployed automatically from develop, prod only by hand|Staging is deployed automatically from develop; production is deployed manually.|Production is deployed automatically from develop; staging is deployed manually.
en|you need to set FEATURE_X=1 to run the tests|Running the tests requires FEATURE_X=1.|Running the tests requires FEATURE_X=0.
en|keep business logic out of the controllers|Controllers must not contain business logic.|Controllers must contain business logic.
en|Retry failed uploads three times and then give up.|Failed uploads are retried three times before giving up.|Failed uploads are retried until they succeed.
en|We're going to store sessions in Redis rather than in the DB.|Sessions will be stored in Redis instead of the database.|Sessions will be stored in the database instead of Redis.
en|only use named exports|Named exports are required; default exports are not used.|Named exports are optional.
en|disable telemetry in every build|Telemetry must be disabled in all builds.|Telemetry must be enabled in all builds.
de|Vor jedem Commit bitte die Tests laufen lassen.|Vor jedem Commit müssen die Tests ausgeführt werden.|Nach jedem Commit müssen die Tests ausgeführt werden.
de|Bitte nichts direkt auf main pushen!|Direktes Pushen auf main ist verboten.|Direktes Pushen auf main ist erlaubt.
de|Die Staging-Datenbank läuft auf Port 5433.|Der Port der Staging-Datenbank ist 5433.|Der Port der Produktionsdatenbank ist 5433.
de|Nein, wir nehmen hier pnpm, nicht npm|In diesem Projekt wird pnpm statt npm verwendet.|In diesem Projekt wird npm statt pnpm verwendet.
de|Wir haben uns für Kafka entschieden, weil RabbitMQ keine Replays kann|Die Entscheidung fiel auf Kafka, da RabbitMQ keine Replays unterstützt.|Die Entscheidung fiel auf RabbitMQ, da Kafka keine Replays unterstützt.
de|Für die Abrechnung ist Sabine zuständig|Sabine ist für die Abrechnung verantwortlich.|Sabine ist nicht mehr für die Abrechnung verantwortlich.
de|Fass die generierten Dateien in src/gen nicht an|Die generierten Dateien in src/gen dürfen nicht verändert werden.|Nur die generierten Dateien in src/gen dürfen verändert werden.
de|Deployt wird bei uns mit make ausrollen|Das Deployment erfolgt über `make ausrollen`.|Das Deployment erfolgt ohne `make ausrollen`.
fr|le serveur de recette écoute sur le port 8081|Le port du serveur de recette est 8081.|Le port du serveur de production est 8081.
fr|non, ici on utilise yarn, pas npm|Le gestionnaire de paquets est yarn, pas npm.|Le gestionnaire de paquets est npm, pas yarn.
fr|je préfère que tu répondes en français|L'utilisateur souhaite des réponses en français.|L'utilisateur souhaite des commentaires de code en français.
fr|on garde MySQL parce que l'équipe le connaît déjà|Décision : conserver MySQL, car l'équipe le maîtrise déjà.|Décision : abandonner MySQL, car l'équipe le maîtrise déjà.
fr|C'est Claire qui s'occupe du déploiement|Claire est responsable du déploiement.|Claire est responsable de tous les projets.
fr|il faut que toutes les dates soient en UTC|Toutes les dates doivent être en UTC.|Aucune date ne doit être en UTC.
es|nunca toques la carpeta legacy|No se debe modificar la carpeta legacy.|Solo se debe modificar la carpeta legacy.
es|La base de datos de pruebas está en el puerto 5544|La base de datos de pruebas usa el puerto 5544.|La base de datos de producción usa el puerto 5544.
es|no, usamos poetry, no pip|El proyecto utiliza poetry en lugar de pip.|El proyecto utiliza pip en lugar de poetry.
es|prefiero que los comentarios estén en inglés|El usuario quiere los comentarios en inglés.|El usuario quiere las respuestas en inglés.
es|Cambiamos de Heroku a Fly porque salía más barato|Se migró de Heroku a Fly por el coste.|Se migró de Fly a Heroku por el coste.
es|del módulo de pagos se encarga Lucía|Lucía es la responsable del módulo de pagos.|Lucía es la responsable del módulo de usuarios.
es|los despliegues se hacen con make publicar|Se despliega con `make publicar`.|Nunca se despliega con `make publicar`.
zh|提交之前一定要跑一遍测试|每次提交前必须运行测试。|每次提交后必须运行测试。
zh|不要直接推到 main 分支|禁止直接推送到 main 分支。|允许直接推送到 main 分支。
zh|不对，我们这里用 pnpm，不用 npm|项目使用 pnpm 而不是 npm。|项目使用 npm 而不是 pnpm。
zh|我们决定用 Redis 做缓存，因为 Memcached 不支持持久化|由于 Memcached 不支持持久化，决定采用 Redis 作为缓存。|由于 Redis 不支持持久化，决定采用 Memcached 作为缓存。
zh|支付模块由小李负责|小李是支付模块的负责人。|小李是用户模块的负责人。
ja|コミットする前に必ずテストを実行して|コミット前にテストの実行が必須。|コミット後にテストの実行が必須。
ja|mainに直接pushしないでください|mainへの直接pushは禁止。|mainへの直接pushは許可されている。
ja|ステージングのDBはポート5433で動いてます|ステージングDBのポートは5433。|本番DBのポートは5433。
ja|いや、ここではnpmじゃなくてpnpmを使ってる|このプロジェクトではnpmではなくpnpmを使用する。|このプロジェクトではpnpmではなくnpmを使用する。
ja|キャッシュはRedisにすることに決めた|キャッシュにはRedisを採用する。|キャッシュにはRedisを採用しない。
ja|日付は全部UTCで保存すること|日付はすべてUTCで保存する必要がある。|日付はすべてJSTで保存する必要がある。
pt|roda os testes antes de cada commit, sempre|Os testes devem ser executados antes de cada commit.|Os testes devem ser executados depois de cada commit.
pt|nunca faça push direto na main|É proibido fazer push direto na main.|É permitido fazer push direto na main.
pt|o banco de homologação fica na porta 5433|A porta do banco de homologação é 5433.|A porta do banco de produção é 5433.
pt|quem cuida do módulo fiscal é a Renata|Renata é responsável pelo módulo fiscal.|Renata é responsável pelo módulo financeiro.
ru|никогда не пушь прямо в main|Запрещено пушить напрямую в main.|Разрешено пушить напрямую в main.
ru|тестовая база висит на порту 5433|Порт тестовой базы — 5433.|Порт боевой базы — 5433.
ru|отвечай мне по-русски|Пользователь предпочитает ответы на русском языке.|Пользователь предпочитает ответы на английском языке.
ko|커밋하기 전에 꼭 테스트를 돌려줘|커밋 전에 반드시 테스트를 실행해야 한다.|커밋 후에 반드시 테스트를 실행해야 한다.
ko|main에 직접 푸시하지 마|main 브랜치에 직접 푸시하는 것은 금지된다.|main 브랜치에 직접 푸시하는 것은 허용된다.
en|in this repo we lint with oxlint, eslint took ages every single time|Project uses oxlint for linting.|Project uses eslint for linting.
en|instead of faking the tide clock use freezegun, fixtures are in spec/tides|Use freezegun instead of faking the tide clock; fixtures are in spec/tides.|Fake the tide clock instead of using freezegun.
en|use winchctl for hoists and cranes, we dropped towctl and pullctl last month|Project uses winchctl for hoists and cranes; towctl and pullctl were dropped.|Project uses winchctl for hoists and pullctl for cranes.
en|if you need a tool on my machine take asdf, not brew and not snap. and dont use doas ever|Never use doas.|Use doas with brew.
en|we're on Lantern v4 now so theres no lantern.config.js anymore, theme stuff is in src/lamps.css|There is no lantern.config.js; the theme is in src/lamps.css.|The theme is in lantern.config.js.
en|My preference is early exits over nested loops, and no goto after a break|Use early exits instead of nested loops.|Use nested loops instead of early exits.
en|it's ok to use globals in scripts, in lib it is not|Globals are allowed in scripts, not in lib.|Globals are allowed in lib, not in scripts.
en|harbour changes need an ok from the pilots (Noor or Felix)|Harbour changes need approval from the pilots (Noor or Felix).|The pilots change the harbour without approval.
de|im Hafenplan bitte keine Emojis mehr einbauen, nimm einfach Symbole|Im Hafenplan keine Emojis verwenden.|Im Hafenplan Emojis verwenden.
de|wir fahren nur dienstags und donnerstags, freitags auf keinen Fall|Wir fahren nur dienstags und donnerstags, niemals freitags.|Wir fahren nur freitags.
fr|personne ne pousse sur release directement|Ne jamais pousser directement sur release.|Pousser directement sur release.
pt|não precisa rodar o lint na pasta antigos|Não é preciso rodar o lint na pasta antigos.|É preciso rodar o lint na pasta antigos.
""".strip().splitlines()
)
"""Language, words of the user, an honest paraphrase, a distorted one."""

DISTORTED = tuple(
    tuple(row.split("|"))
    for row in """
en|never commit straight to develop, always go through a branch|Commit straight to develop and never go through a branch.
en|metrics go to Prometheus, Graphite is only for the old plant|Metrics go to Graphite; Prometheus is only for the old plant.
en|the parser has to finish before the indexer starts|The parser must start only after the indexer has finished.
en|the parser has to finish before the indexer starts|The indexer must finish before the parser starts.
en|flags are declared in flags.ts and loaded at boot|Flags are loaded in flags.ts and declared at boot.
en|prefer async iterators to callbacks|Prefer callbacks to async iterators.
en|use kebab-case for files and PascalCase for components|Use PascalCase for files and kebab-case for components.
en|I want you to answer in French|The user does not want answers in French.
en|I don't want emojis in commits|The user wants emojis in commits.
en|that folder is generated, never edit it|The folder is edited and must never be generated.
en|when the disk is full, stop the importer|Stop the importer.
en|when CI is red, do not deploy|Do not deploy.
en|don't use mocks without a good reason|Do not use mocks.
en|never delete backups without approval|Never delete backups.
en|only Nina may approve schema changes|Nina may not approve schema changes.
en|we only support Python 3.12 and newer|Python 3.12 and newer are not supported.
en|everyone except Omar may deploy|Omar may deploy.
en|all services but the gateway log JSON|All services log JSON.
en|the client retries, the server never does|The server retries, the client never does.
en|use tabs in Go but spaces in Python|Use spaces in Go but tabs in Python.
en|the cache is in Redis and the sessions are in Postgres|The sessions are in Redis and the cache is in Postgres.
en|Ines takes the Monday shift, Paul the Friday shift|Paul takes the Monday shift, Ines the Friday shift.
en|copy from prod to staging, never the other way|Copy from staging to prod, never the other way.
en|reads go to the replica, writes to the primary|Writes go to the replica, reads to the primary.
en|the API must not return stack traces|The API must return stack traces.
en|keep audit rows for 7 years, debug rows for 7 days|Keep debug rows for 7 years, audit rows for 7 days.
en|the worker pulls jobs from the broker|The broker pulls jobs from the worker.
en|Mara tells Jonas when a release is ready|Jonas tells Mara when a release is ready.
en|lint first, then test|Test first, then lint.
en|we replaced Moment with dayjs|We replaced dayjs with Moment.
en|dayjs replaces Moment everywhere|Moment replaces dayjs everywhere.
en|use SES instead of Sendgrid|Use Sendgrid instead of SES.
en|at least two reviewers, at most four|At least four reviewers, at most two.
en|timeouts must be shorter than 30 seconds|Timeouts must be longer than 30 seconds.
en|the limit is 5 for guests and 50 for members|The limit is 50 for guests and 5 for members.
en|stop the worker if the queue is empty|Stop the worker unless the queue is empty.
en|enable caching in production only|Disable caching in production only.
en|accept uploads up to 20 MB|Reject uploads up to 20 MB.
de|nie direkt auf develop committen, immer über einen Branch|Immer direkt auf develop committen, nie über einen Branch.
de|wenn die Platte voll ist, den Importer stoppen|Den Importer stoppen.
de|lieber Komposition als Vererbung|Lieber Vererbung als Komposition.
de|erst linten, dann testen|Erst testen, dann linten.
de|Mara informiert Jonas vor jedem Release|Jonas informiert Mara vor jedem Release.
de|Lesezugriffe gehen an die Replik, Schreibzugriffe an den Primärknoten|Schreibzugriffe gehen an die Replik, Lesezugriffe an den Primärknoten.
de|nimm SES statt Sendgrid|Nimm Sendgrid statt SES.
de|keine Mocks ohne guten Grund|Keine Mocks.
fr|quand le disque est plein, arrêter l'importeur|Arrêter l'importeur.
fr|préférer la composition à l'héritage|Préférer l'héritage à la composition.
fr|utilise Postmark au lieu de Sendgrid|Utilise Sendgrid au lieu de Postmark.
fr|les lectures vont à la réplique, les écritures au primaire|Les écritures vont à la réplique, les lectures au primaire.
fr|je ne veux pas d'emojis dans les commits|L'utilisateur veut des emojis dans les commits.
es|cuando el disco esté lleno, parar el importador|Parar el importador.
es|usa SES en vez de Sendgrid|Usa Sendgrid en vez de SES.
es|las lecturas van a la réplica y las escrituras al primario|Las escrituras van a la réplica y las lecturas al primario.
es|mejor composición que herencia|Mejor herencia que composición.
es|no quiero emojis en los commits|El usuario quiere emojis en los commits.
pt|use Postmark em vez de Sendgrid|Use Sendgrid em vez de Postmark.
pt|as leituras vão para a réplica e as escritas para o primário|As escritas vão para a réplica e as leituras para o primário.
pt|não quero emojis nos commits|O usuário quer emojis nos commits.
pt|quando o disco estiver cheio, parar o importador|Parar o importador.
zh|用SES代替Sendgrid|用Sendgrid代替SES。
zh|读走副本，写走主库|写走副本，读走主库。
zh|磁盘满时停止导入|停止导入。
zh|优先组合而不是继承|优先继承而不是组合。
zh|只有王芳可以批准|王芳不可以批准。
ja|Sendgridの代わりにSESを使う|SESの代わりにSendgridを使う。
ja|読み取りはレプリカ、書き込みはプライマリへ|書き込みはレプリカ、読み取りはプライマリへ。
ja|ディスクが満杯ならインポートを止める|インポートを止める。
ja|継承よりコンポジションを優先する|コンポジションより継承を優先する。
ja|田中さんが佐藤さんに連絡する|佐藤さんが田中さんに連絡する。
ko|Sendgrid 대신 SES를 사용|SES 대신 Sendgrid를 사용.
ko|읽기는 복제본, 쓰기는 주 서버로 보낸다|쓰기는 복제본, 읽기는 주 서버로 보낸다.
ko|디스크가 가득 차면 가져오기를 멈춘다|가져오기를 멈춘다.
ko|상속보다 합성을 우선한다|합성보다 상속을 우선한다.
ko|민수가 지현에게 알린다|지현이 민수에게 알린다.
en|the exporter may restart the importer|The importer may restart the exporter.
en|we host the docs on Netlify and the app on Fly|The app is hosted on Netlify and the docs on Fly.
en|Ben reports to Lea|Lea reports to Ben.
en|merge after the tests are green|Merge before the tests are green.
en|warn on unused imports, fail on unused variables|Fail on unused imports, warn on unused variables.
en|staging may lag behind production, never the other way round|Production may lag behind staging.
en|use UTC in the backend and local time in the UI|Use local time in the backend and UTC in the UI.
en|guests can read, members can write|Guests can write, members can read.
en|no PR without a ticket|No PRs.
en|do not run migrations while the importer is running|Do not run migrations.
en|unless the flag is set, skip the cache|Skip the cache.
en|admin accounts need two factors, user accounts one|User accounts need two factors, admin accounts one.
en|the timeout is 30 seconds, not 30 minutes|The timeout is 30 minutes, not 30 seconds.
en|prefer small commits, avoid big ones|Prefer big commits, avoid small ones.
en|accept JSON, refuse XML|Accept XML, refuse JSON.
en|errors go to stderr and results to stdout|Results go to stderr and errors to stdout.
en|the scheduler triggers the backup, which triggers the upload|The upload triggers the backup.
en|nobody but Eva may delete tenants|Eva may not delete tenants.
en|keep feature branches shorter than three days|Keep feature branches longer than three days.
en|cache for 5 minutes, retry for 10|Retry for 5 minutes, cache for 10.
en|the old API stays until June, the new one starts in May|The new API stays until June, the old one starts in May.
en|write docs before code|Write code before docs.
en|never mock the database, mock the mailer|Never mock the mailer, mock the database.
en|we like short names and dislike abbreviations|We like abbreviations and dislike short names.
en|if the build is red, do not tag|If the build is green, do not tag.
de|der Exporter darf den Importer neu starten|Der Importer darf den Exporter neu starten.
de|Gäste dürfen lesen, Mitglieder schreiben|Gäste dürfen schreiben, Mitglieder lesen.
de|kein PR ohne Ticket|Kein PR.
de|erst nach grünen Tests mergen|Erst vor grünen Tests mergen.
de|Fehler nach stderr, Ergebnisse nach stdout|Ergebnisse nach stderr, Fehler nach stdout.
de|Doku vor Code|Code vor Doku.
fr|les invités lisent, les membres écrivent|Les invités écrivent, les membres lisent.
fr|pas de PR sans ticket|Pas de PR.
fr|fusionner après les tests|Fusionner avant les tests.
fr|Ben dépend de Léa|Léa dépend de Ben.
fr|accepter JSON, refuser XML|Accepter XML, refuser JSON.
es|los invitados leen y los miembros escriben|Los invitados escriben y los miembros leen.
es|ningún PR sin ticket|Ningún PR.
es|fusionar después de las pruebas|Fusionar antes de las pruebas.
es|aceptar JSON, rechazar XML|Aceptar XML, rechazar JSON.
pt|os convidados leem e os membros escrevem|Os convidados escrevem e os membros leem.
pt|nenhum PR sem ticket|Nenhum PR.
pt|fazer merge depois dos testes|Fazer merge antes dos testes.
zh|访客可以读，成员可以写|访客可以写，成员可以读。
zh|没有工单不得提PR|不得提PR。
zh|测试通过之后合并|测试通过之前合并。
zh|接受JSON，拒绝XML|接受XML，拒绝JSON。
ja|ゲストは読み取り、メンバーは書き込みができる|ゲストは書き込み、メンバーは読み取りができる。
ja|テストの後にマージする|テストの前にマージする。
ja|JSONは受け付け、XMLは拒否する|XMLは受け付け、JSONは拒否する。
ko|손님은 읽고 회원은 쓴다|손님은 쓰고 회원은 읽는다.
ko|테스트 후에 병합한다|테스트 전에 병합한다.
ko|JSON은 받고 XML은 거부한다|XML은 받고 JSON은 거부한다.
en|the auth team approves schema changes for billing|The billing team approves schema changes for auth.
en|we cache API answers for an hour but never error pages|Error pages are cached for an hour but API answers never.
en|after 18:00 only hotfixes may be deployed|Only hotfixes may be deployed.
en|in staging every request is logged|Every request is logged.
en|the first reviewer checks style, the second one checks security|The first reviewer checks security, the second one checks style.
en|compress files larger than 1 MB|Compress files smaller than 1 MB.
en|the reader locks the file before the writer opens it|The writer locks the file before the reader opens it.
en|use at most 3 retries|Use at least 3 retries.
en|for mobile we use Flutter, for desktop Tauri|For desktop we use Flutter, for mobile Tauri.
en|no force pushes on shared branches|No force pushes.
en|Lea decides on colours and Tim on texts|Tim decides on colours and Lea on texts.
en|rename the column before you drop the table|Drop the table before you rename the column.
en|data flows from the crawler through the cleaner to the store|Data flows from the store through the cleaner to the crawler.
en|don't run e2e tests on Windows|Don't run e2e tests.
en|reject tokens older than an hour|Accept tokens older than an hour.
de|in Staging wird jede Anfrage protokolliert|Jede Anfrage wird protokolliert.
de|Lea entscheidet über Farben und Tim über Texte|Tim entscheidet über Farben und Lea über Texte.
de|höchstens drei Versuche|Mindestens drei Versuche.
fr|pour le mobile on utilise Flutter, pour le bureau Tauri|Pour le bureau on utilise Flutter, pour le mobile Tauri.
fr|au plus trois essais|Au moins trois essais.
es|para móvil usamos Flutter y para escritorio Tauri|Para escritorio usamos Flutter y para móvil Tauri.
es|como máximo tres intentos|Como mínimo tres intentos.
pt|para mobile usamos Flutter e para desktop Tauri|Para desktop usamos Flutter e para mobile Tauri.
zh|移动端用Flutter，桌面端用Tauri|桌面端用Flutter，移动端用Tauri。
zh|最多重试三次|最少重试三次。
ja|モバイルはFlutter、デスクトップはTauriを使う|デスクトップはFlutter、モバイルはTauriを使う。
ja|リトライは最大3回|リトライは最小3回。
ko|모바일은 Flutter, 데스크톱은 Tauri를 사용|데스크톱은 Flutter, 모바일은 Tauri를 사용.
ko|재시도는 최대 3회|재시도는 최소 3회.
nl|gebruik pnpm en nooit npm|Gebruik npm en nooit pnpm.
nl|Joris keurt facturen goed en Els bestellingen|Els keurt facturen goed en Joris bestellingen.
nl|maak een back-up voordat je uitrolt|Rol uit voordat je een back-up maakt.
nl|de dienst orders roept voorraad aan|De dienst voorraad roept orders aan.
nl|logs bewaren we 14 dagen en back-ups een jaar|Back-ups bewaren we 14 dagen.
nl|wis nooit zonder overleg de cache|Wis de cache zonder overleg.
nl|minstens twee reviewers per migratie|Hoogstens twee reviewers per migratie.
it|usa poetry e mai pip|Usa pip e mai poetry.
it|Paolo approva le fatture e Gina gli ordini|Gina approva le fatture e Paolo gli ordini.
it|non cancellare i log senza chiedere|Cancellare i log senza chiedere.
it|esegui i test prima della build|Esegui la build prima dei test.
it|almeno due revisori|Al massimo due revisori.
it|il servizio ordini chiama il servizio scorte|Il servizio scorte chiama il servizio ordini.
it|non usare mai la cartella legacy|Usare la cartella legacy.
ru|используй poetry, а не pip|Используй pip, а не poetry.
ru|запускай тесты перед сборкой|Запускай сборку перед тестами.
ru|Анна утверждает договоры, Пётр счета|Пётр утверждает договоры, Анна счета.
ru|не удаляй логи без разрешения|Удаляй логи без разрешения.
ru|сервис заказов вызывает сервис склада|Сервис склада вызывает сервис заказов.
ru|переносим данные из Oracle в Postgres|Переносим данные из Postgres в Oracle.
ru|никогда не кэшируй ответы авторизации|Кэшируй ответы авторизации.
ru|логи хранятся 14 дней, копии год|Копии хранятся 14 дней, логи год.
pl|używaj poetry zamiast pip|Używaj pip zamiast poetry.
pl|uruchom testy przed budowaniem|Uruchom budowanie przed testami.
pl|Anna zatwierdza umowy, Piotr faktury|Piotr zatwierdza umowy, Anna faktury.
pl|nie usuwaj logów bez zgody|Usuwaj logi bez zgody.
pl|serwis zamówień wywołuje serwis magazynu|Serwis magazynu wywołuje serwis zamówień.
pl|przenosimy dane z Oracle do Postgresa|Przenosimy dane z Postgresa do Oracle.
pl|nigdy nie zapisuj haseł w logach|Zapisuj hasła w logach.
sv|använd poetry istället för pip|Använd pip istället för poetry.
sv|kör testerna före bygget|Kör bygget före testerna.
sv|radera aldrig loggar utan att fråga|Radera loggar utan att fråga.
sv|flytta data från Oracle till Postgres|Flytta data från Postgres till Oracle.
tr|pip yerine poetry kullan|poetry yerine pip kullan.
tr|günlükleri asla silme|Günlükleri sil.
tr|derlemeden önce testleri çalıştır|Testlerden önce derlemeyi çalıştır.
en|don't deploy without a review|Deploy without a review.
en|ask Eva before you rename a table|Rename a table before you ask Eva.
en|ask Eva before you rename a table|Never ask Eva before renaming a table.
en|never restart the broker without telling ops|Restart the broker before telling ops.
en|use A records, not use CNAME records|Use CNAME records, not use A records.
en|jobs run at most 20 minutes|Jobs run at least 20 minutes.
en|the project calls the vendor API|The vendor API calls the project.
de|höchstens 20 Anfragen pro Sekunde|Mindestens 20 Anfragen pro Sekunde.
de|nie ohne Freigabe ausrollen|Ohne Freigabe ausrollen.
ja|公開前にレビューする|公開後にレビューする。
ja|レビューの前に公開しない|レビューの前に公開する。
ja|削除の後に通知する|通知の後に削除する。
fr|on garde 60 jours les journaux et 90 les copies|On garde 90 jours les journaux et 60 les copies.
es|guarda sesenta copias y cincuenta informes|Guarda cincuenta copias y sesenta informes.
en|the api listens on 8080|the api forwards to 8080
en|don't run migrations by hand|migrations must not be run
en|we replaced webpack with vite|webpack is used
en|we replaced webpack with vite|vite was replaced with webpack
en|logs are kept for 30 days|logs are deleted every 30 days
en|we stopped using jest, vitest only|jest is used, vitest only
en|I might switch to bun|The user switched to bun
en|Tom wants to use bun, I'd stay with node|The user prefers bun
en|the old port was 5432, now it's 5433|The port is 5432
en|in this PR use fetch instead of axios|The project uses fetch instead of axios
en|for this test skip the linter|The linter is skipped for all tests
en|for this test skip the linter|The linter must be skipped
fr|on a remplacé jest par vitest|vitest a été remplacé par jest
en|for now skip the linter|always skip the linter
en|we might drop python 3.9|python 3.9 was dropped
en|we dropped python 3.9|python 3.9 is used
en|the old api lives in api/v1|the api lives in api/v1
en|npm run check must pass|`npm run verify` must pass
en|we swapped mocha for vitest|vitest was swapped for mocha
en|we swapped mocha for vitest|mocha is used
en|replace the cron with a systemd timer|the cron was kept
en|schema changes need Olga's approval|Olga needs approval for schema changes
en|keep secrets out of the repo|keep secrets in the repo
en|keep secrets out of the repo|secrets must be stored in the repo
en|stop using moment in new code|moment is used in new code
en|uploads up to 2 GB are allowed|uploads over 2 GB are allowed
en|turn off telemetry in dev builds|turn on telemetry in dev builds
en|jobs are retried 5 times and then dropped|jobs are retried 5 times and then kept
en|everyone but contractors has access|contractors have access
en|if the build fails, page Jun|the build fails
en|when CI is red don't merge|don't merge
en|Tom asked for dark mode, I don't need it|The user wants dark mode
en|my boss prefers Java, I prefer Kotlin|The user prefers Java
en|I think the limit is 50, but check it|The limit is 50
en|until friday use the staging key|use the staging key
de|bis Freitag den alten Schlüssel benutzen|Den alten Schlüssel benutzen
es|por ahora usa el puerto 8081|El puerto es 8081
ko|일단 8081 포트를 써|포트는 8081이다
ru|пока используем порт 8081|Порт 8081
en|use pnpm in apps/web|use pnpm
en|use tabs in Go files|use tabs
en|on mobile the timeout is 10 seconds|the timeout is 10 seconds
en|for customers in the EU we store data in Frankfurt|data is stored in Frankfurt
en|some endpoints need auth|endpoints need auth
en|PRs need at least two reviews|PRs need exactly two reviews
en|the build takes about 12 minutes|the build must take 12 minutes
en|the web team may use React|the web team must use React
en|you can skip tests for docs changes|tests must be skipped for docs changes
en|you can skip tests for docs changes|you can skip tests
en|always squash, except on release branches|always squash
en|the nightly build may fail|the nightly build must fail
en|never rebase shared branches|never rebase branches
en|jest is slow but we keep it|jest is slow so we drop it
en|we deploy with make ship|we deploy with make release
en|deploys go through make ship|deploys go through make deploy
en|the client is built by npm run build|the client is built by npm run compile
en|Raise an exception when the crane lease expires.|Increase exceptions when the crane lease expires.
en|Don't dock on Sundays unless Piet agrees.|Dock on Sundays.
en|We used to run the winch at night.|The winch runs at night.
en|We rarely use the spare crane.|The spare crane is used.
de|Ich glaube, der Kran hebt 40 Tonnen.|Der Kran hebt 40 Tonnen.
de|Wir haben kaum Ersatzseile.|Wir haben Ersatzseile.
fr|Je crois que le port du relais est 5544.|Le port du relais est 5544.
es|Deja de usar la grúa vieja.|Usa la grúa vieja.
zh|我觉得吊车的端口是 5544。|吊车的端口是 5544。
en|ask before you add a winch|Add a winch.
en|ask me before you add a winch|Add a winch before you ask.
en|the pier was number 12, now it is 14|The pier is number 12.
de|der Steg war Nummer 12, jetzt ist er 14|Der Steg ist Nummer 12.
fr|le quai était le 12, maintenant c'est le 14|Le quai est le 12.
es|el muelle era el 12, ahora es el 14|El muelle es el 12.
en|you don't have to grease the winch|Don't grease the winch.
en|there is no need to grease the winch|Never grease the winch.
en|Tom says to use the old pier|Use the old pier.
en|Tom thinks we should use the old pier|Use the old pier.
en|the crane on pier 7 is gone, it's a hoist now|The crane is on pier 7.
en|the beacon is off at noon|The beacon is on at noon.
en|the pier was long before|The pier is long.
en|next year we will use steel ropes|We use steel ropes.
en|we were thinking about moving to steel ropes|We moved to steel ropes.
en|we use steel ropes for the long pier|Project uses steel ropes.
en|the barge is slow but we keep it|The barge is slow so we drop it.
en|dock pilots open the gate. deckhands wash the deck|Dock pilots wash the deck.
en|we have two piers, dev and main. dev is washed every night|Main is washed every night.
fr|on n'utilise plus la vieille grue|On utilise la vieille grue.
fr|avant on utilisait la vieille grue|On utilise la vieille grue.
es|antes usábamos la grúa vieja|Usamos la grúa vieja.
en|the queue is named heron|The production queue is named heron.
en|flash the board before each demo|The user flashes the board before each demo.
en|the board is flashed before each demo|The board is flashed by the team before each demo.
en|use the loader in lib/load|Create the loader in lib/load.
en|Ole writes the voucher notes|Ole reads the voucher notes.
en|use Valkey only for vouchers|Use only Valkey for vouchers.
en|while Ole is away, Ida approves vouchers|Ida approves vouchers.
en|should we use Bazel for the kiosk|Use Bazel for the kiosk.
en|never flash anything under boards/beta without asking me first|Never flash anything without asking the user first.
en|labels are in Danish, but vouchers and mails in English|Vouchers are in Danish.
zh|以前我们用 Express|我们用 Express。
ru|делай снимок до прошивки|Делай снимок после прошивки.
en|the producer writes to the product topic|The product writes to the producer topic.
en|I deploy on Mondays|The team deploys on Mondays.
en|We send the reports to the auditors|The auditors send the reports.
en|We give the staging keys to ops|Ops gives the staging keys.
fr|Nous envoyons les rapports aux auditeurs|Les auditeurs envoient les rapports.
es|Enviamos los informes a los auditores|Los auditores envían los informes.
en|We wait until the bot deploys|The team deploys.
en|the us region has 3 shards, the eu region 2|The EU region has 3 shards, the US region 2.
en|the api that calls billing is internal|The internal API is billing.
en|the health check is /healthz and must not touch the db|The health check /healthz must touch the database.
en|the demo env is not the lab, it uses the fake server on port 7700|The lab uses the fake server on port 7700.
en|never touch the vendored copy of zlib in external|The vendored copy of zlib must never touch external.
en|the warehouse team only works with XLSX, finance wants PDF|All teams only work with XLSX.
fr|je travaille avec vim|L'équipe travaille avec vim.
it|i dati passano dall'API all'ERP|I dati passano dall'ERP all'API.
tr|müşteri verilerini silme|Müşteri verileri silinmeli.
tr|ödeme başarısızsa sipariş iptal edilir|Sipariş iptal edilir.
vi|đừng xóa dữ liệu khách hàng|Xóa dữ liệu khách hàng.
zh|合并之前先跑测试|跑测试之前先合并。
""".strip().splitlines()
)
"""Language, words of the user, a distortion."""
