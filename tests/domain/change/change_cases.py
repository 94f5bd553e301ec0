"""Statements and later ones, in many languages: which retire which (WM-8).

Written before the rule was tuned; every third row was kept back while tuning.
"""

# ruff: noqa: E501  Rows of one line each.
from __future__ import annotations

CHANGED = tuple(
    tuple(row.split("|"))
    for row in """
en|value|The worker pool has 4 threads.|The worker pool went from 4 threads to 12.
en|value|The PDF export times out after 40 seconds.|The PDF export times out after 90 seconds now.
en|value|Trial accounts last 14 days.|Trial accounts last 30 days as of this sprint.
en|value|Our page size is 25.|We bumped the page size to 50.
en|value|The minimum iOS version is 15.|The minimum iOS version has been raised to 16.
en|value|Uploads are limited to 20 MB.|Uploads are limited to 80 MB, up from 20.
en|value|The nightly job starts at 02:00.|The nightly job was moved to 03:30.
en|value|Coverage must be at least 70 percent.|Coverage must be at least 85 percent from now on.
en|value|Logs are kept for 14 days.|Correction: logs are kept for 60 days.
en|value|Releases happen on Tuesdays.|Releases happen on Thursdays going forward.
en|version|We are on Django 4.2.|We upgraded to Django 5.1.
en|version|The API runs on Node 18.|The API runs on Node 22 since last week.
en|version|Postgres 13 is the version in use.|Postgres got upgraded from 13 to 16.
en|version|The SDK is pinned to 2.4.|The SDK pin is 3.0 now.
en|tool|We bundle with webpack.|We bundle with rspack now.
en|tool|Error tracking goes through Rollbar.|We're off Rollbar, errors go to Sentry.
en|tool|The queue is RabbitMQ.|RabbitMQ is being replaced by NATS.
en|tool|Email is sent with Mailgun.|Mailgun is deprecated, send email with Postmark.
en|tool|Feature flags live in LaunchDarkly.|We got rid of LaunchDarkly; feature flags live in Unleash.
en|tool|The charts use Highcharts.|We went with ECharts for the charts, Highcharts is no more.
en|tool|The cache is Memcached.|Memcached has been swapped out for Valkey.
en|tool|Terraform manages the infrastructure.|The infrastructure is managed by Pulumi these days.
en|tool|Use moment for dates.|Use dayjs for dates in place of moment.
en|tool|Password hashing uses bcrypt.|Password hashing uses argon2id in favour of bcrypt.
en|tool|The wiki is in Confluence.|The wiki moved to Outline.
en|tool|We write e2e tests in Cypress.|e2e tests went from Cypress to Playwright.
en|tool|Icons come from FontAwesome.|We ditched FontAwesome and take icons from Lucide.
en|tool|Builds run on CircleCI.|Builds no longer run on CircleCI but on Buildkite.
en|tool|Static files are served by nginx.|Caddy serves the static files now.
en|tool|Local development uses Vagrant.|Vagrant has been retired for local development, use devcontainers.
en|owner|Olga is the release manager.|Marek took over from Olga as release manager.
en|owner|The design tokens belong to team Iris.|The design tokens belong to team Fern since the reorg.
en|owner|Hassan reviews all database migrations.|Database migrations are reviewed by Lotte now.
en|owner|Questions about invoices go to Priyanka.|Priyanka has left; questions about invoices go to Emil.
en|owner|Jun owns the recommender.|The recommender was handed over to Sofia.
en|owner|The on-call lead is Pavel.|The new on-call lead is Ines.
en|port|Grafana is at http://mon-1:3000.|Grafana is at http://mon-2:3300 now.
en|port|The emulator listens on 4400.|The emulator listens on 4411, 4400 was taken.
en|port|The debug port is 9229.|The debug port changed to 9330.
en|port|MySQL in docker is on 3307.|MySQL in docker is now on 3317.
en|rename|The default branch is trunk.|trunk was renamed to main.
en|rename|The shared library is called libtide.|libtide is called libcurrent now.
en|rename|Scripts live in tools/.|tools/ became scripts/.
en|rename|The env variable is HARBOR_TOKEN.|HARBOR_TOKEN is now HARBOR_API_KEY.
en|rename|The Slack channel is #ferry-dev.|We renamed #ferry-dev to #ferry-eng.
en|rename|Config lives in settings.yml.|settings.yml has been split into conf/base.yml and conf/prod.yml.
en|rename|Build with `make dist`.|`make dist` is gone, the target is `make bundle`.
en|retract|Never merge on Fridays.|Merging on Fridays is fine now.
en|retract|All commits must be signed.|Commits need not be signed any longer.
en|retract|We support Windows 7.|Windows 7 is unsupported as of this release.
en|retract|Always squash before merging.|No need to squash before merging any more.
en|retract|Don't upgrade React.|You can upgrade React again.
en|retract|The staging gate requires a QA sign-off.|The QA sign-off is no longer needed for staging.
en|retract|Code freeze until the audit.|The code freeze is over.
en|scope|All services log in JSON.|All services except the gateway log in JSON.
en|scope|Use British English everywhere.|British English only in the user docs, American everywhere else.
en|tool|We lint with flake8.|ruff replaced flake8.
en|tool|We lint Go with golint.|golint is abandoned; we lint Go with staticcheck.
en|tool|Packages are published to Nexus.|Publish packages to Artifactory, Nexus was shut down.
en|value|The free plan allows 3 projects.|The free plan now allows 5 projects instead of 3.
en|value|Pagination uses offset and limit.|Pagination is cursor based now, offset and limit are gone.
en|location|The OpenAPI file is docs/api.yaml.|The OpenAPI file moved to spec/openapi.yaml.
en|location|Translations are in src/i18n.|Translations have moved to packages/locales.
en|location|The demo runs at demo.ferry.test.|The demo runs at try.ferry.test from now on.
en|tool|State management is Redux.|We have migrated state management to Zustand.
en|value|Access tokens expire after 10 minutes.|We changed access tokens to expire after 20 minutes.
de|value|Die Warteschlange fasst 100 Einträge.|Die Warteschlange fasst jetzt 500 Einträge.
de|tool|Gebaut wird mit Ant.|Gebaut wird nicht mehr mit Ant, sondern mit Gradle.
de|owner|Für den Katalog ist Frau Kern zuständig.|Frau Kern ist weg, für den Katalog ist jetzt Herr Maurer zuständig.
de|version|Wir setzen Java 11 ein.|Wir sind von Java 11 auf Java 21 umgestiegen.
de|rename|Der Hauptzweig heißt master.|Der Hauptzweig heißt ab sofort main.
de|retract|Keine Kommentare auf Englisch.|Kommentare auf Englisch sind wieder erlaubt.
de|port|Der Proxy lauscht auf 3128.|Der Proxy wurde auf 3130 umgestellt.
fr|value|Le cache expire au bout de 10 minutes.|Le cache expire désormais au bout de 30 minutes.
fr|tool|Les tests de charge sont écrits avec Gatling.|On abandonne Gatling, les tests de charge sont écrits avec k6.
fr|owner|Le catalogue est géré par Luc.|C'est Nadia qui gère maintenant le catalogue.
fr|port|Le proxy écoute sur 3128.|Le proxy est passé de 3128 à 3130.
fr|rename|La branche principale est master.|La branche principale a été renommée main.
fr|retract|Jamais de déploiement le vendredi.|Les déploiements le vendredi sont de nouveau permis.
es|value|La caché caduca a los 10 minutos.|La caché ahora caduca a los 30 minutos.
es|tool|Las pruebas de carga se escriben con Gatling.|Dejamos Gatling, las pruebas de carga se escriben con k6.
es|owner|El catálogo lo lleva Lucía.|El catálogo lo lleva ahora Ramón.
es|version|Estamos en Rails 6.|Hemos migrado de Rails 6 a Rails 7.
es|port|El proxy escucha en 3128.|El proxy pasó a escuchar en 3130.
pt|value|O cache expira em 10 minutos.|O cache agora expira em 30 minutos.
pt|tool|Os testes de carga usam Gatling.|Trocamos o Gatling pelo k6 nos testes de carga.
pt|owner|O catálogo é da Luana.|O catálogo passou para o Caio.
it|value|La cache scade dopo 10 minuti.|La cache adesso scade dopo 30 minuti.
it|tool|I test di carico usano Gatling.|Abbiamo sostituito Gatling con k6 nei test di carico.
it|owner|Il catalogo è di Luca.|Del catalogo ora si occupa Marta.
nl|value|De cache verloopt na 10 minuten.|De cache verloopt nu na 30 minuten.
nl|tool|De belastingtests gebruiken Gatling.|We zijn van Gatling overgestapt op k6.
pl|value|Cache wygasa po 10 minutach.|Cache wygasa teraz po 30 minutach.
pl|tool|Testy obciążeniowe są w Gatlingu.|Zamiast Gatlinga używamy teraz k6 do testów obciążeniowych.
ru|value|Кэш живёт 10 минут.|Теперь кэш живёт 30 минут.
ru|tool|Нагрузочные тесты на Gatling.|Мы перешли с Gatling на k6.
ru|owner|За каталог отвечает Лена.|За каталог теперь отвечает Игорь.
tr|value|Önbellek 10 dakikada sona erer.|Önbellek artık 30 dakikada sona eriyor.
tr|tool|Yük testleri Gatling ile yazılıyor.|Gatling yerine k6 kullanıyoruz.
vi|value|Cache hết hạn sau 10 phút.|Cache giờ hết hạn sau 30 phút.
vi|tool|Kiểm thử tải dùng Gatling.|Chúng tôi đã chuyển từ Gatling sang k6.
zh|value|缓存10分钟过期。|缓存现在30分钟过期。
zh|tool|压测用Gatling。|压测从Gatling换成了k6。
zh|owner|目录由王芳负责。|目录改由陈刚负责。
zh|version|后端是Java 11。|后端升级到Java 21了。
ja|value|キャッシュは10分で失効します。|キャッシュは30分で失効するように変更しました。
ja|tool|負荷テストはGatlingで書いています。|負荷テストはGatlingからk6に移行しました。
ja|owner|カタログの担当は鈴木です。|カタログの担当は高橋に変わりました。
ko|value|캐시는 10분 후에 만료됩니다.|캐시는 이제 30분 후에 만료됩니다.
ko|tool|부하 테스트는 Gatling으로 작성합니다.|부하 테스트를 Gatling에서 k6로 옮겼습니다.
ko|owner|카탈로그 담당은 수진입니다.|카탈로그 담당이 태호로 바뀌었습니다.
en|value|The session limit is 3 devices.|We allow 5 devices per session now, the limit of 3 is history.
en|value|Thumbnails are 200 pixels wide.|Make thumbnails 320 pixels wide from here on, 200 was too small.
en|value|Crawl depth is 4.|Crawl depth went up to 6.
en|value|The backup window opens at 01:00.|Backup window opens at 03:00 instead.
en|value|The batch size is 500.|Batch size dropped to 250.
en|value|Invites expire after 7 days.|Invites now last 14 days before they expire.
en|value|Each tenant gets 10 GB.|Tenants get 25 GB each since the new pricing.
en|value|Ratelimit for the public API: 60 per minute.|The public API ratelimit was doubled to 120 per minute.
en|value|Sprints are two weeks.|Sprints are three weeks from now on.
en|value|Standup is at 9:30.|Standup got moved to 10:00.
en|value|We bill monthly.|We have switched to billing yearly.
en|version|The plugin targets Gradle 7.|The plugin now targets Gradle 8.
en|version|Our images are based on Debian 11.|Base images were upgraded to Debian 12.
en|version|TypeScript 4.9 is what we compile with.|TypeScript is at 5.4 now.
en|version|The protocol version is 3.|Protocol version got bumped to 4.
en|tool|Python deps are managed with poetry.|We're on uv for Python deps now.
en|tool|Snapshots are stored in MinIO.|MinIO was retired; snapshots are stored in Ceph.
en|tool|Jobs are scheduled by cron.|Jobs are scheduled by Temporal these days, not cron.
en|tool|The monorepo uses Bazel.|The monorepo dropped Bazel for Nx.
en|tool|HTTP mocking is done with nock.|nock has been replaced with msw for HTTP mocking.
en|tool|We chat on Mattermost.|We've left Mattermost, chat is on Zulip.
en|tool|Use fetch for requests.|From today requests go through ky, not fetch.
en|tool|Deployment is by Ansible.|Deployment has been taken over by Flux.
en|tool|Secrets come from SSM.|Secrets no longer come from SSM, we read them from Vault.
en|tool|We profile with py-spy.|Instead of py-spy we profile with scalene.
en|tool|The docs site runs on Docusaurus.|The docs site was rebuilt with Starlight.
en|tool|Push notifications go through Firebase.|Firebase is out, OneSignal handles push notifications.
en|tool|Component stories are in Storybook.|We killed Storybook, component stories are in Ladle.
en|tool|The scraper is built on Scrapy.|The scraper has been ported from Scrapy to Crawlee.
en|tool|Money is handled with dinero.js.|dinero.js is deprecated here, use decimal.js for money.
en|owner|Anika maintains the deploy scripts.|The deploy scripts are with Teo now.
en|owner|The contact for legal questions is Mr Hale.|Legal questions go to Ms Ortiz now.
en|owner|Team Atlas owns search.|Search now belongs to team Orion.
en|owner|Ravi signs off on releases.|Releases are signed off by Greta since May.
en|owner|Product owner of the app is Lisa.|Lisa handed the app over to Bram; he is the product owner.
en|owner|Security reviews are done by Yuki.|Yuki stepped down, security reviews are done by Ali.
en|port|The websocket server listens on 8765.|The websocket server has been moved to 8775.
en|port|Kafka is reachable at broker:9092.|Kafka is reachable at broker:9094 since the TLS switch.
en|port|The inspector runs on 6499.|6499 is taken, so the inspector runs on 6500.
en|location|Fixtures are in tests/fixtures.|The fixtures now live under tests/data.
en|location|The staging URL is https://stage.pier.example.|The new staging URL is https://pier-stage.example.
en|location|Build artefacts land in dist/.|Build artefacts go to out/ now instead of dist/.
en|rename|The service is called billing-core.|billing-core has a new name, it's ledger-core now.
en|rename|The main class is AppRunner.|AppRunner has been renamed Launcher.
en|rename|The table is named users_old.|We renamed the table users_old to accounts.
en|rename|The label for bugs is type:bug.|The label type:bug is now kind:defect.
en|rename|The npm script is `npm run check`.|`npm run check` became `npm run verify`.
en|retract|Do not use async in handlers.|Async in handlers is OK now.
en|retract|PRs need a linked ticket.|PRs don't need a linked ticket any more.
en|retract|No new features until the release.|The feature freeze has been lifted.
en|retract|We keep a changelog by hand.|We stopped keeping a changelog by hand.
en|retract|Ping Dora before deploying.|No need to ping Dora before deploying any longer.
en|retract|The app must work offline.|Offline support is not a requirement any more.
en|retract|Tests may be skipped for docs changes.|Tests may no longer be skipped for docs changes.
en|scope|All endpoints return XML.|All endpoints return XML except /v2, which returns JSON.
en|scope|Everyone may merge to main.|Only maintainers may merge to main now.
en|scope|Coverage applies to all packages.|Coverage applies to all packages other than legacy-ui.
en|past|Our mascot is a heron.|We picked a new mascot: the heron is gone, it's an otter.
en|value|Maximum file name length is 64.|The maximum file name length isn't 64 any more, it's 128.
en|value|Cache entries live 5 minutes.|Cache lifetime was raised from 5 to 15 minutes.
en|value|Cron runs at 4 am.|We shifted cron to 5 am.
en|value|The retry budget is 10 percent.|Retry budget: 25 percent from this week on.
en|value|Max upload is 50 MB.|Max upload is 100 MB, not 50.
en|value|API keys rotate every 90 days.|Security wants API keys rotated every 30 days now.
en|value|Pods get 512 MB.|Pods get 1 GB these days.
en|value|Our SLA is 99.5 percent.|The SLA was renegotiated to 99.9 percent.
en|value|The trial is free for 7 days.|The trial period is 14 days now, marketing changed it.
en|value|Log level in prod is info.|Log level in prod is now warn.
en|value|Indent with 4 spaces.|We've settled on 2 spaces for indentation now.
en|value|Quotes are single in this repo.|Quotes are double in this repo from now on.
en|version|We ship with OpenSSL 1.1.|OpenSSL went from 1.1 to 3.0.
en|version|The compiler is GCC 11.|We're on GCC 13 now.
en|version|Minimum Android is 8.|Minimum Android is 10 since the last release.
en|tool|Styling is done with Sass.|Sass is being phased out, styling is done with Tailwind.
en|tool|Type checks run with mypy.|We swapped mypy for pyright.
en|tool|Diagrams are drawn in Visio.|Diagrams are drawn in Mermaid now.
en|tool|We store files in GCS.|Files now go to R2 rather than GCS.
en|tool|The reverse proxy is HAProxy.|HAProxy got replaced by Envoy.
en|tool|Alerts are sent to PagerDuty.|Alerts are sent to Opsgenie since June.
en|tool|We use Celery for jobs.|Celery is gone for good, jobs run on Dramatiq.
en|tool|Reviews happen on Gerrit.|No more Gerrit: reviews happen on GitHub.
en|tool|Translations are managed with Lokalise.|We cancelled Lokalise, translations are managed with Tolgee.
en|tool|Test data comes from factory_boy.|Test data comes from polyfactory as of today.
en|tool|The search engine is Solr.|We've moved search onto Typesense.
en|tool|The design files are in Sketch.|Design files live in Figma nowadays.
en|owner|Kim runs the release train.|The release train is run by Dana now.
en|owner|Infra questions go to #ops.|Infra questions go to #platform now.
en|owner|Omar is the tech lead.|Our new tech lead is Fatima.
en|owner|The invoicing code is Zoe's.|Zoe passed the invoicing code to Luis.
en|owner|Backups are handled by team Harbor.|Since the split team Quay handles backups.
en|port|Jaeger UI is on 16686.|Jaeger UI is exposed on 16700 now.
en|port|The SMTP relay uses port 25.|The SMTP relay uses port 587 instead.
en|port|Prometheus scrapes :9100.|Prometheus scrapes :9200 now.
en|location|Our docs are at docs.pier.example.|Docs have a new home: pier.example/docs.
en|location|Migrations are in db/migrate.|Migrations were relocated to services/db/migrations.
en|location|CI config is in .circleci.|CI config lives in .github/workflows now.
en|rename|The CLI is called pierctl.|pierctl is called pier now.
en|rename|The queue topic is orders.v1.|The topic orders.v1 was renamed to orders.v2.
en|rename|Our npm scope is @pier.|The npm scope changed from @pier to @harbor.
en|rename|Our Helm chart is named pier-api.|The Helm chart goes by harbor-api now.
en|retract|Don't use GraphQL.|GraphQL is allowed again.
en|retract|Every commit needs a ticket number.|Ticket numbers in commits are optional now.
en|retract|We run a nightly full build.|There is no nightly full build any more.
en|retract|Never use feature branches.|The ban on feature branches is lifted.
en|retract|Always add screenshots to PRs.|You no longer have to add screenshots to PRs.
en|retract|The beta flag must stay off.|The beta flag may be on now.
en|scope|All jobs run in eu-west-1.|All jobs run in eu-west-1, except the report job.
en|scope|Use TypeScript everywhere.|Use TypeScript everywhere but in the build scripts.
de|value|Das Passwort läuft nach 90 Tagen ab.|Das Passwort läuft jetzt erst nach 180 Tagen ab.
de|tool|Für E-Mails nehmen wir Mailgun.|Mailgun wurde durch Postmark ersetzt.
de|owner|Den Shop betreut Jana.|Den Shop betreut seit Mai Timo.
de|rename|Der Dienst heißt kern.|Wir haben kern in zentrum umbenannt.
de|retract|Jeder PR braucht zwei Freigaben.|Zwei Freigaben sind nicht mehr nötig.
fr|value|Le mot de passe expire après 90 jours.|Le mot de passe expire maintenant après 180 jours.
fr|tool|Les mails partent par Mailgun.|Mailgun a été remplacé par Postmark pour les mails.
fr|owner|Jana s'occupe de la boutique.|C'est Timo qui s'occupe de la boutique maintenant.
fr|retract|Chaque PR demande deux relectures.|Deux relectures ne sont plus nécessaires pour une PR.
es|value|La contraseña caduca a los 90 días.|La contraseña caduca ahora a los 180 días.
es|tool|Los correos salen por Mailgun.|Los correos salen por Postmark, ya no por Mailgun.
es|rename|El servicio se llama nucleo.|nucleo ahora se llama centro.
pt|tool|Os e-mails saem pelo Mailgun.|Os e-mails agora saem pelo Postmark.
it|tool|Le mail partono da Mailgun.|Le mail ora partono da Postmark invece che da Mailgun.
nl|value|Het wachtwoord verloopt na 90 dagen.|Het wachtwoord verloopt voortaan na 180 dagen.
pl|tool|Maile wysyłamy przez Mailgun.|Maile wysyłamy teraz przez Postmark.
ru|tool|Письма уходят через Mailgun.|Письма теперь уходят через Postmark, а не через Mailgun.
zh|value|密码90天过期。|密码改为180天过期。
zh|tool|邮件用Mailgun发送。|邮件不再用Mailgun，改用Postmark。
ja|value|パスワードは90日で失効します。|パスワードは今後180日で失効します。
ja|tool|メールはMailgunで送ります。|メールはMailgunをやめてPostmarkで送ります。
ko|value|비밀번호는 90일 후에 만료됩니다.|비밀번호는 이제 180일 후에 만료됩니다.
ko|tool|메일은 Mailgun으로 보냅니다.|메일은 Mailgun 대신 Postmark로 보냅니다.
""".strip().splitlines()
)
"""Language, kind, statement, the later one that changes it."""

ALIKE = tuple(
    tuple(row.split("|"))
    for row in """
en|services|The invoice service listens on port 7001.|The catalogue service listens on port 7002 now.
en|services|The crawler retries 3 times.|The mailer retries 5 times now.
en|services|packages/core is published under MIT.|packages/cloud is published under BSL now.
en|services|The search index refreshes every 5 minutes.|The price index refreshes every 60 minutes now.
en|services|The orders API is written in Go.|The refunds API has been rewritten in Rust.
en|environments|Staging uses the sandbox payment keys.|Production uses the live payment keys now.
en|environments|The dev cluster has 2 nodes.|The prod cluster has 9 nodes now.
en|environments|QA deploys happen every day.|Production deploys happen every Tuesday now.
en|environments|Locally the API is on 8080.|In CI the API is on 18080.
en|environments|On Linux the socket is in /run.|On macOS the socket moved to /tmp.
en|people|Petra approves hotfixes.|Yusuf approves schema changes now.
en|people|Nina is on call this quarter for storage.|Omar is on call this quarter for networking.
en|people|Ask Lena about the parser.|Ask Viktor about the renderer now.
en|people|Carol maintains the Helm charts.|Dmitri took over the Ansible roles.
en|range|Timeouts are between 5 and 30 seconds.|The default timeout is 10 seconds now.
en|range|Ports 9000 to 9099 are for test services.|The mock bank uses port 9042 now.
en|range|Passwords have 12 to 64 characters.|Usernames have 3 to 20 characters.
en|list|Supported databases are Postgres and MySQL.|We also support SQLite now.
en|list|The linters are ruff and mypy.|Added vulture to the linters.
en|list|Reviewers are Ada and Bo.|Cy joined the reviewers.
en|exception|All timestamps are UTC.|Timestamps in the billing export are local time, because accounting wants that.
en|exception|Functions stay under 40 lines.|Generated parsers may have longer functions.
en|exception|We never use any in TypeScript.|In test fixtures any is allowed.
en|exception|Default retention is 30 days.|For audit events the retention is 7 years.
en|past|We use Kafka for events.|Before 2023 we used RabbitMQ for events.
en|past|The parser is written in Rust.|The parser was written in Python once.
en|past|The logo is blue.|Back then the logo was green.
en|conditional|We deploy with Helm.|If we ever leave Kubernetes we would deploy with Nomad.
en|conditional|The page size is 20.|If customers complain we could raise the page size to 50.
en|conditional|We use Stripe.|We would switch to Adyen if the fees went up.
en|question|We use Jest.|Should we switch from Jest to Vitest?
en|question|The limit is 5 MB.|Is the limit still 5 MB or is it 10 MB now?
en|question|Logs go to Loki.|Why did we move logs from Loki to Elastic on that branch?
en|plan|The site is on Gatsby.|Next spring the site moves to Astro.
en|plan|Auth is done by Keycloak.|We are thinking about replacing Keycloak with Zitadel.
en|plan|The API version is v2.|The API version will be v3 after the summer.
en|temporary|CI runs on GitHub runners.|Just for this week CI runs on the self-hosted runners.
en|temporary|The feature flag is on.|Turn the feature flag off while you test.
en|temporary|We merge with squash.|For this PR merge with a merge commit.
en|detail|The worker uses Redis.|The worker uses Redis with a pool of 20 connections now.
en|detail|We build images with Buildah.|Images are built with Buildah on every push now.
en|detail|The API returns JSON.|The API returns JSON with snake_case keys now.
en|detail|Tests run in CI.|Tests run in CI with 4 shards now.
en|attribute|The web app is written in TypeScript.|The web app is deployed on Netlify now.
en|attribute|The ledger uses Postgres 15.|The ledger uses 3 replicas now.
en|attribute|The scheduler runs every 10 minutes.|The scheduler runs on node-3 now.
en|attribute|Marta owns the checkout.|Marta moved to Lisbon.
en|attribute|The importer reads CSV files.|The importer writes Parquet files now.
en|other|Never commit generated files.|Generated files are now written to build/.
en|other|Prefer composition over inheritance.|We moved the inheritance docs to wiki/oop.
en|other|Node modules are cached in CI.|We dropped the cache of Docker layers.
en|other|The Android app targets SDK 34.|The iOS app targets iOS 17 now.
en|other|Feature branches start with feat/.|Bugfix branches start with fix/ from now on.
en|other|Read replicas are in Dublin.|The primary moved to Zurich.
en|agree|We use pnpm, not npm.|Someone used npm again; we moved away from npm for a reason.
en|agree|Docs are in Markdown.|Docs are no longer in reStructuredText.
de|services|Der Rechnungsdienst läuft auf Port 7001.|Der Katalogdienst läuft jetzt auf Port 7002.
de|environments|Der Testcluster hat 2 Knoten.|Der Produktionscluster hat jetzt 9 Knoten.
de|people|Petra gibt Hotfixes frei.|Yusuf gibt jetzt Schemaänderungen frei.
de|exception|Alle Zeiten sind UTC.|Im Export für die Buchhaltung stehen lokale Zeiten.
de|plan|Wir nutzen Stripe.|Falls die Gebühren steigen, wechseln wir zu Adyen.
de|list|Wir prüfen mit ruff und mypy.|Wir prüfen jetzt zusätzlich mit vulture.
fr|services|Le service des factures écoute sur 7001.|Le service du catalogue écoute maintenant sur 7002.
fr|people|Petra valide les correctifs.|Yusuf valide maintenant les schémas.
fr|environments|La préprod a 2 nœuds.|La production a maintenant 9 nœuds.
fr|past|Nous utilisons Kafka.|Avant 2023 nous utilisions RabbitMQ.
fr|question|On utilise Jest.|Faut-il passer de Jest à Vitest ?
es|services|El servicio de facturas escucha en 7001.|El servicio de catálogo ahora escucha en 7002.
es|people|Petra aprueba los parches.|Yusuf aprueba ahora los esquemas.
es|environments|Pruebas tiene 2 nodos.|Producción tiene ahora 9 nodos.
es|plan|Usamos Stripe.|Si suben las tarifas, cambiaremos a Adyen.
es|list|Admitimos Postgres y MySQL.|Ahora también admitimos SQLite.
pt|services|O serviço de faturas escuta na 7001.|O serviço de catálogo agora escuta na 7002.
pt|environments|Homologação tem 2 nós.|Produção agora tem 9 nós.
pt|past|Usamos Kafka.|Antes de 2023 usávamos RabbitMQ.
it|services|Il servizio fatture ascolta sulla 7001.|Il servizio catalogo adesso ascolta sulla 7002.
it|environments|Il collaudo ha 2 nodi.|La produzione ora ha 9 nodi.
nl|services|De factuurdienst luistert op 7001.|De catalogusdienst luistert nu op 7002.
nl|exception|Alle tijden zijn UTC.|In de export voor de boekhouding staan lokale tijden.
pl|services|Usługa faktur działa na porcie 7001.|Usługa katalogu działa teraz na porcie 7002.
pl|people|Petra zatwierdza poprawki.|Teraz Yusuf zatwierdza schematy.
ru|services|Сервис счетов слушает порт 7001.|Сервис каталога теперь слушает порт 7002.
ru|environments|На тесте 2 узла.|На проде теперь 9 узлов.
ru|people|Петра одобряет хотфиксы.|Юсуф теперь одобряет схемы.
tr|services|Fatura servisi 7001 portunda.|Katalog servisi artık 7002 portunda.
vi|services|Dịch vụ hóa đơn chạy ở cổng 7001.|Dịch vụ danh mục giờ chạy ở cổng 7002.
zh|services|账单服务监听7001端口。|目录服务现在监听7002端口。
zh|environments|测试环境有2个节点。|生产环境现在有9个节点。
zh|people|王芳审批热修复。|陈刚现在审批表结构变更。
zh|plan|我们用Stripe。|如果费用上涨，我们就换成Adyen。
ja|services|請求サービスは7001番ポートです。|カタログサービスは今は7002番ポートです。
ja|people|鈴木がホットフィックスを承認します。|高橋が今はスキーマ変更を承認します。
ja|environments|検証環境は2ノードです。|本番環境は今は9ノードです。
ko|services|청구 서비스는 7001번 포트입니다.|카탈로그 서비스는 이제 7002번 포트입니다.
ko|environments|스테이징은 노드가 2개입니다.|운영은 이제 노드가 9개입니다.
ko|people|수진이 핫픽스를 승인합니다.|태호가 이제 스키마 변경을 승인합니다.
en|services|The chat service runs 2 replicas.|The video service runs 6 replicas now.
en|services|The mobile API has a limit of 50 items.|The partner API has a limit of 500 items now.
en|services|Billing logs go to Loki.|Access logs go to S3 now.
en|services|The parser module is called ink.|The lexer module is called quill now.
en|services|The cron host is atlas-1.|The build host is atlas-7 now.
en|services|apps/admin uses Vite.|apps/docs moved to Astro.
en|environments|Staging deploys from develop.|Production deploys from main now.
en|environments|In dev we use SQLite.|In prod we switched to Postgres.
en|environments|The test database is reset nightly.|The demo database is reset hourly now.
en|people|Ilse is responsible for the payroll.|Jorge is responsible for the inventory now.
en|people|Mina reviews Go code.|Tariq reviews Rust code now.
en|people|Ask Bea about taxes.|Ask Noor about shipping now.
en|range|Node 18 to 22 are supported.|CI runs on Node 22 now.
en|range|Prices range from 5 to 50 euros.|The starter plan costs 9 euros now.
en|list|We deploy to Frankfurt and Dublin.|Oslo was added to the regions we deploy to.
en|list|The supported browsers are Firefox and Chrome.|Safari is supported now as well.
en|exception|All PRs need two approvals.|Dependency bumps need one approval.
en|exception|Comments are in English.|The comments in the vendored parser stay in German.
en|past|We use Terraform.|Terraform was adopted after years of hand-written scripts.
en|past|Billing runs on Stripe.|Until 2022 billing ran on PayPal.
en|conditional|Deploys are manual.|Once the tests are stable deploys will be automatic.
en|conditional|We use one database.|If traffic doubles, move the reports to another database.
en|question|The cache TTL is 60 seconds.|Did somebody change the cache TTL to 30 seconds?
en|plan|Auth runs on Keycloak.|The plan is to move auth from Keycloak to Zitadel in autumn.
en|plan|We are on React 18.|React 19 is coming, let's look at it later.
en|temporary|Deploy with make ship.|Deploy by hand today, make ship is broken.
en|detail|The gateway uses mTLS.|The gateway uses mTLS with certificates from step-ca now.
en|detail|Reports are generated at night.|Reports are generated at night and mailed to finance now.
en|attribute|The mobile app is written in Kotlin.|The mobile app is released every second Monday now.
en|attribute|The queue holds 1000 jobs.|The queue is monitored by Grafana now.
en|attribute|Elena leads the data team.|Elena prefers short pull requests.
en|attribute|The crawler is stored in tools/crawl.|The crawler now needs 4 GB of memory.
en|other|Never edit the lockfile by hand.|The lockfile moved to the repository root.
en|other|Run prettier before committing.|Prettier is now part of the editor setup.
en|other|Secrets never go into git.|Secrets are now rotated every 90 days.
en|other|Use feature flags for risky changes.|Feature flags are now cleaned up every quarter.
en|other|We release on Tuesdays.|We have a retro on Thursdays now.
en|other|The invoice PDF has 2 pages.|The order e-mail has 2 attachments now.
en|agree|We use argon2 for passwords.|bcrypt is no longer used for passwords.
en|agree|The branch is called main.|We renamed master to main.
de|services|Der Chatdienst hat 2 Instanzen.|Der Videodienst hat jetzt 6 Instanzen.
de|people|Ilse ist für die Gehälter zuständig.|Jorge ist jetzt für das Lager zuständig.
de|attribute|Die App ist in Kotlin geschrieben.|Die App erscheint jetzt jeden zweiten Montag.
de|other|Nie das Lockfile von Hand ändern.|Das Lockfile liegt jetzt im Wurzelverzeichnis.
fr|services|Le service de chat a 2 instances.|Le service vidéo a maintenant 6 instances.
fr|people|Ilse est responsable de la paie.|Jorge est maintenant responsable du stock.
es|other|Publicamos los martes.|Ahora tenemos retro los jueves.
es|services|El servicio de chat tiene 2 réplicas.|El servicio de vídeo ahora tiene 6 réplicas.
zh|services|聊天服务有2个副本。|视频服务现在有6个副本。
zh|other|禁止手工修改锁文件。|锁文件现在放在根目录。
ja|services|チャットサービスは2台です。|動画サービスは今は6台です。
ja|other|ロックファイルは手で編集しない。|ロックファイルは今はルートにあります。
ko|services|채팅 서비스는 인스턴스가 2개입니다.|영상 서비스는 이제 인스턴스가 6개입니다.
en|services|The auth service needs 2 GB.|The media service needs 8 GB now.
en|services|The event bus is NATS.|The task queue is Redis now.
en|services|Our blog is on Ghost.|Our shop moved to Shopify.
en|services|The ingest job runs at 2.|The cleanup job runs at 5 now.
en|services|libs/ui is tested with vitest.|libs/data is tested with jest now.
en|environments|Preview deploys expire after 3 days.|Staging deploys expire after 14 days now.
en|environments|In QA mails go to mailpit.|In production mails go to SES now.
en|people|Rita handles refunds.|Samir handles chargebacks now.
en|people|The frontend lead is Ana.|The backend lead is Igor now.
en|range|Supported Python versions are 3.9 to 3.13.|The Docker image uses Python 3.12 now.
en|list|Allowed licences are MIT and BSD.|We also accept Apache-2.0 from now on.
en|exception|Every endpoint is rate limited.|Health checks have no rate limit.
en|exception|We write British English.|The API field is called color because of CSS.
en|past|Builds take 4 minutes.|Last year builds took 20 minutes.
en|conditional|Sessions live in Redis.|If Redis gets too expensive we move sessions to Postgres.
en|question|The queue is SQS.|Have we moved the queue from SQS to Kafka?
en|plan|Payments run on Adyen.|We might move payments from Adyen to Stripe next year.
en|temporary|Tests run in parallel.|Run the tests serially this time.
en|detail|Reports are PDFs.|Reports are PDFs with page numbers now.
en|detail|The API speaks gRPC.|The API speaks gRPC over TLS now.
en|attribute|The parser is written in Rust.|The parser is covered by fuzz tests now.
en|attribute|Noor owns the importer.|Noor joined the standup at ten.
en|attribute|The database has 40 tables.|The database is backed up every hour now.
en|attribute|The cluster is in Frankfurt.|The cluster runs Kubernetes 1.31 now.
en|other|Never log tokens.|Tokens are now 64 characters long.
en|other|Use dark mode screenshots in the docs.|The docs now have a search box.
en|other|The changelog is in English.|The changelog is generated by a script now.
en|other|Prefer small PRs.|Large PRs now get a label.
en|agree|We deploy with Argo.|Flux was removed from the cluster.
de|services|Der Loginserver braucht 2 GB.|Der Medienserver braucht jetzt 8 GB.
de|attribute|Der Cluster steht in Frankfurt.|Der Cluster läuft jetzt mit Kubernetes 1.31.
fr|people|Rita gère les remboursements.|Samir gère maintenant les litiges.
es|other|Nunca registres tokens.|Los tokens ahora tienen 64 caracteres.
ja|people|田中が返金を担当します。|佐藤が今は請求を担当します。
zh|other|禁止记录令牌。|令牌现在有64个字符。
ko|people|민수가 환불을 담당합니다.|지현이 이제 청구를 담당합니다.
""".strip().splitlines()
)
"""Language, kind, statement, a later one beside which it holds."""

INHERITED = tuple(
    tuple(row.split("|"))
    for row in """
en|The docs are on port 9000, no longer on port 8000.|The docs are on port 8000.|The shop is on port 8000.
en|The importer runs hourly, not nightly any more.|The importer runs nightly.|The exporter runs nightly.
en|Invoices are stored in S3 now, no longer on the NFS share.|Invoices are stored on the NFS share.|Thumbnails are stored on the NFS share.
en|Ana reviews the migrations now instead of Piet.|Piet reviews the migrations.|Piet reviews the stylesheets.
en|The gateway speaks gRPC instead of REST.|The gateway speaks REST.|The ledger speaks REST.
en|Session tokens live in Redis, not in Postgres any longer.|Session tokens live in Postgres.|Audit rows live in Postgres.
en|The mailer uses SES and no longer Sendgrid.|The mailer uses Sendgrid.|The newsletter uses Sendgrid.
en|Backups go to Wasabi rather than Glacier.|Backups go to Glacier.|Old recordings go to Glacier.
en|The search page uses Solid, no longer React.|The search page uses React.|The checkout page uses React.
en|CI for the firmware moved from Jenkins to Buildkite.|CI for the firmware runs on Jenkins.|CI for the website runs on Jenkins.
en|The retry limit is 5 instead of 3.|The retry limit is 3.|The replica count is 3.
en|Deploys of the portal happen on Tuesdays, no longer on Fridays.|Deploys of the portal happen on Fridays.|Snapshots of the ledger happen on Fridays.
en|The staging database is on db-2, no more on db-1.|The staging database is on db-1.|The wiki is on db-1.
en|Linting in the frontend is done by biome instead of eslint.|Linting in the frontend is done by eslint.|Linting in the plugins is done by eslint.
en|The importer no longer runs on node 18.|The importer runs on node 18.|The exporter runs on node 18.
en|The billing service doesn't use RabbitMQ any more.|The billing service uses RabbitMQ.|The shipping service uses RabbitMQ.
en|The tariff job stopped writing to the archive bucket.|The tariff job writes to the archive bucket.|The audit job writes to the archive bucket.
de|Die Doku läuft auf Port 9000, nicht mehr auf Port 8000.|Die Doku läuft auf Port 8000.|Der Shop läuft auf Port 8000.
de|Rechnungen liegen jetzt in S3 statt auf dem NFS.|Rechnungen liegen auf dem NFS.|Vorschaubilder liegen auf dem NFS.
de|Der Versand nutzt SES und nicht mehr Sendgrid.|Der Versand nutzt Sendgrid.|Der Rundbrief nutzt Sendgrid.
de|Die Migrationen prüft jetzt Ana anstelle von Piet.|Die Migrationen prüft Piet.|Die Stylesheets prüft Piet.
de|Der Importer läuft nicht mehr auf Node 18.|Der Importer läuft auf Node 18.|Der Exporter läuft auf Node 18.
fr|La doc est sur le port 9000, plus sur le port 8000.|La doc est sur le port 8000.|La boutique est sur le port 8000.
fr|Les factures sont dans S3 au lieu du partage NFS.|Les factures sont sur le partage NFS.|Les vignettes sont sur le partage NFS.
fr|La passerelle parle gRPC, et non REST.|La passerelle parle REST.|Le registre parle REST.
es|La documentación está en el puerto 9000, ya no en el puerto 8000.|La documentación está en el puerto 8000.|La tienda está en el puerto 8000.
es|Las copias van a Wasabi en lugar de Glacier.|Las copias van a Glacier.|Las grabaciones van a Glacier.
es|El correo usa SES en vez de Sendgrid.|El correo usa Sendgrid.|El boletín usa Sendgrid.
pt|A documentação fica na porta 9000, não mais na porta 8000.|A documentação fica na porta 8000.|A loja fica na porta 8000.
pt|Os backups vão para o Wasabi em vez do Glacier.|Os backups vão para o Glacier.|As gravações vão para o Glacier.
it|La documentazione è sulla porta 9000, non più sulla porta 8000.|La documentazione è sulla porta 8000.|Il negozio è sulla porta 8000.
it|Le fatture stanno su S3 invece che su NFS.|Le fatture stanno su NFS.|Le miniature stanno su NFS.
nl|De documentatie draait op poort 9000, niet meer op poort 8000.|De documentatie draait op poort 8000.|De winkel draait op poort 8000.
nl|De mailer gebruikt SES in plaats van Sendgrid.|De mailer gebruikt Sendgrid.|De nieuwsbrief gebruikt Sendgrid.
pl|Dokumentacja działa na porcie 9000, już nie na porcie 8000.|Dokumentacja działa na porcie 8000.|Sklep działa na porcie 8000.
ru|Документация на порту 9000, больше не на порту 8000.|Документация на порту 8000.|Магазин на порту 8000.
ru|Рассылка использует SES вместо Sendgrid.|Рассылка использует Sendgrid.|Биллинг использует Sendgrid.
tr|Belgeler 9000 portunda, artık 8000 portunda değil.|Belgeler 8000 portunda.|Mağaza 8000 portunda.
vi|Tài liệu chạy ở cổng 9000, không còn ở cổng 8000.|Tài liệu chạy ở cổng 8000.|Cửa hàng chạy ở cổng 8000.
zh|文档在9000端口，不再用8000端口。|文档在8000端口。|商店在8000端口。
zh|发票存放在S3，而不是NFS。|发票存放在NFS。|缩略图存放在NFS。
ja|ドキュメントは9000番ポートです。もう8000番ポートではありません。|ドキュメントは8000番ポートです。|ショップは8000番ポートです。
ja|請求書はNFSの代わりにS3に保存します。|請求書はNFSに保存します。|サムネイルはNFSに保存します。
ko|문서는 9000번 포트이고 더 이상 8000번 포트가 아닙니다.|문서는 8000번 포트입니다.|상점은 8000번 포트입니다.
ko|메일은 Sendgrid 대신 SES를 사용합니다.|메일은 Sendgrid를 사용합니다.|뉴스레터는 Sendgrid를 사용합니다.
""".strip().splitlines()
)
"""Language, a statement that retires a value, a statement of its subject with this value, one of
another subject."""

TAKES_PLACE = tuple(
    tuple(row.split("|"))
    for row in """
abbreviation|The harbour db is at quay1.port.|The harbour database moved to quay2.port.
abbreviation|Prod tide docs are on quay1.port.|Production tide documentation moved to quay2.port.
folder|The crane is in crane/.|The crane moved to gear/tower.
folder|Der Hafen liegt in hafen/.|Der Hafen ist nach docks/kai umgezogen.
roles|Prefer tabs over spaces, width 4.|Prefer spaces over tabs, width 2.
roles|Boats dock at Lyon first, then Oslo, after 10 minutes.|Boats now dock at Oslo first, then Lyon, after 5 minutes.
roles|Ann reviews Bo's code on Mondays.|Bo now reviews Ann's code on Tuesdays.
repeats|The main buoy is called north.|The main buoy is called main now.
mind|Prefiro barcos pequenos.|Mudei de ideia, prefiro barcos grandes.
holder|Pia leads the pilots.|Gus leads the pilots.
holder|Pia leitet die Werft.|Gus leitet die Werft.
holder|Pia dirige le chantier.|Gus dirige le chantier.
holder|Pia dirige el astillero.|Gus dirige el astillero.
holder|Pia gestisce il cantiere.|Gus gestisce il cantiere.
holder|Pia gerencia o estaleiro.|Gus gerencia o estaleiro.
holder|Pia beheert de werf.|Gus beheert de werf.
holder|Pia kieruje stocznią.|Gus kieruje stocznią.
holder|Pia leder varvet.|Gus leder varvet.
holder|Пия отвечает за причал.|Гус отвечает за причал.
holder|Пія відповідає за причал.|Гус відповідає за причал.
holder|Tersaneyi Pia yönetiyor.|Tersaneyi Gus yönetiyor.
holder|Pia phụ trách bến cảng.|Gus phụ trách bến cảng.
holder|小丽负责码头。|小张负责码头。
holder|港は林さんが担当しています。|港は森さんが担当しています。
holder|부두는 유미가 담당합니다.|부두는 태오가 담당합니다.
holder|पिया बंदरगाह संभालती है।|गस बंदरगाह संभालता है।
holder|بيا تدير الميناء.|غسان يدير الميناء.
holder|Pia manages the dock.|The dock is managed by Gus.
holder|Pia gestisce il molo.|Il molo è gestito da Gus.
rule|Night landings are allowed.|Night landings are forbidden.
rule|Nachtfahrten sind verboten.|Nachtfahrten sind erlaubt.
rule|Les accostages de nuit sont autorisés.|Les accostages de nuit sont interdits.
rule|Los atraques nocturnos están permitidos.|Los atraques nocturnos están prohibidos.
rule|Gli attracchi notturni sono permessi.|Gli attracchi notturni sono vietati.
rule|Nocne cumowanie jest dozwolone.|Nocne cumowanie jest zabronione.
rule|Ночная швартовка разрешена.|Ночная швартовка запрещена.
rule|Gece yanaşma serbest.|Gece yanaşma yasak.
rule|允许夜间靠岸。|禁止夜间靠岸。
rule|夜間の接岸は許可されています。|夜間の接岸は禁止です。
rule|야간 접안은 허용됩니다.|야간 접안은 금지입니다.
rule|الرسو ليلا مسموح.|الرسو ليلا ممنوع.
name|The ferry is called Heron.|Heron is called Osprey.
name|The ferry is called Heron.|We renamed Heron to Osprey.
name|Die Fähre heißt Reiher.|Reiher heißt inzwischen Adler.
name|Il traghetto si chiama Airone.|Airone adesso si chiama Falco.
name|El ferry se llama Garza.|Renombramos Garza a Halcón.
name|A balsa se chama Garça.|Renomeamos Garça para Falcão.
name|Паром называется Цапля.|Цапля теперь называется Орлан.
name|渡船叫白鹭。|白鹭现在叫鱼鹰。
name|フェリーの名前はSagiです。|Sagiは今はWashiと呼ばれています。
name|페리 이름은 Heron입니다.|Heron의 이름을 Osprey로 바꿨습니다.
name|Färjan heter Häger.|Vi har döpt om Häger till Örn.
value|Vi mäter med Vegeta.|Vi mäter inte längre med Vegeta utan med k6.
value|Vi mäter med Vegeta.|Vi har bytt från Vegeta till k6.
value|Ми міряємо через Vegeta.|Ми більше не міряємо через Vegeta, а через k6.
value|Ми міряємо через Vegeta.|Ми міряємо через k6 замість Vegeta.
value|नाप Vegeta से होता है।|नाप Vegeta के बजाय k6 से होता है।
value|القياس يتم عبر Vegeta.|القياس يتم عبر k6 بدلا من Vegeta.
value|計測にはVegetaを使っています。|計測にはVegetaではなくk6を使っています。
value|측정에는 Vegeta를 써.|측정에는 Vegeta 말고 k6를 써.
value|测量用Vegeta。|测量用k6，不要用Vegeta。
value|La mesure passe par Vegeta.|La mesure passe par k6 à la place de Vegeta.
value|The tide page is at tide.quay.test.|The tide page moved from tide.quay.test to water.quay.test.
value|Das Fest ist am Montag.|Das Fest ist am Freitag.
value|Регата в среду.|Регата в субботу.
value|यात्रा 4 मार्च को है।|यात्रा 9 मार्च को है।
value|Os testes da maré rodam no Jenkins.|Os testes da maré rodam no Buildkite.
value|We land without pilots at Northquay.|We land without pilots at Southquay.
value|The tide logs go to Loki.|The tide logs go to Datadog.
value|We deploy with `make ship` from the release branch.|We deploy with `make release` from now on.
""".strip().splitlines()
)
"""Kind, statement, the later one that takes its place: who has a duty, what a rule says, how a thing
is called, or a value. Each is decided rightly.purpose|We use tabs for indentation here.|no, use 4 spaces, not tabs
purpose|We use protractor for browser tests.|use playwright, not protractor
purpose|Wir nutzen Protractor für die Oberfläche.|nimm Playwright, nicht Protractor
purpose|We use protractor for browser tests.|Browser tests run with playwright now.
purpose|We use protractor for browser tests.|We switched to playwright for browser tests.
purpose|use fixtures for seeds|use factories for seeds from now on
purpose|We use SOAP for the crane API.|The crane API is GraphQL now.
purpose|Wir nutzen Protractor für Oberflächentests.|Oberflächentests laufen jetzt mit Playwright.
purpose|Nous utilisons Ant pour les paquets.|Nous sommes passés à Gradle pour les paquets.
purpose|Usamos Ant para los paquetes.|Ahora los paquetes se hacen con Gradle.
lifted|Don't edit the moorings, they are locked|the lock is over, the moorings may be changed again
lifted|Never weld on deck two.|You can weld on deck two now.
instead|We use hemp here, never nylon.|also we use steel instead of hemp now
instead|Always use hemp, never nylon.|we moved from hemp to steel
lifted|Don't order ropes without asking.|you may order ropes without asking from now on
purpose|Write the logbook with pencil.|write the logbook with ink instead
lifted|Nie auf Deck zwei schweißen.|Ihr dürft jetzt auf Deck zwei schweißen.
name|Our CI runs on GitHub Actions.|Our CI runs on GitLab.
name|Errors go to Google Cloud Logging.|Errors go to Sentry.
name|Der Kalender liegt auf Cloudflare Pages.|Der Kalender liegt auf Vercel.
"""

BOTH_HOLD = tuple(
    tuple(row.split("|"))
    for row in """
state|The signals are in Lantern.|The signals cost too much now.
roles|Ann reviews Bo's code on Mondays.|Bo reviews Ann's code on Tuesdays.
roles|Orders calls billing on port 4001.|Billing calls orders on port 4002.
roles|Mail from Lantern to Winch waits 30 seconds.|Mail from Winch to Lantern waits 60 seconds.
roles|Der Umzug von Nord nach Süd dauert 3 Stunden.|Der Umzug von Süd nach Nord dauert 5 Stunden.
roles|Les données vont de Lyon à Paris à 2 h.|Les données vont de Paris à Lyon à 4 h.
state|Our lamp is LampLight.|The lamp is slow since Monday.
state|Die Signale laufen über Laterne.|Die Signale sind inzwischen zu teuer.
state|Los faros van con Linterna.|Los faros ahora cuestan demasiado.
state|信号在 Lantern。|信号现在太贵了。
state|We use Winch for the ropes.|Winch took 20 minutes to start yesterday.
state|We moor at north.|north is crowded since this morning
state|The barge moors at pier north.|the barge at north carries 8 tons of coal now
fault|CI runs on Lantern Actions.|Lantern Actions is down again
fault|Our lamp is LampLight.|LampLight does not start any more
fault|Our lamp is LampLight.|LampLight ne répond plus
fault|The lamp listens on port 8080.|a lâmpada não responde mais na porta 8080
fault|Tests run with Winch.|tests are green again
fault|The mailer sends through Winch.|CI passes now
fault|The OpenAPI spec is in docs/openapi.yaml.|docs are out of sync with the code
fault|灯塔运行在 8080 端口。|灯塔在 8080 端口上不再响应
here|Tide logs are kept for 30 days.|tide logs are kept for 7 days on my machine now
bound|Tide cover must be at least 80%.|Tide cover is at 75% now.
bound|Die Flutquote muss mindestens 80% sein.|Die Flutquote liegt jetzt bei 76%.
bound|La marée doit être d'au moins 80 %.|La marée est à 74 % maintenant.
other|灯塔端口是 8080。|码头端口改成 9090 了。
other|潮汐记录保留 7 天。|船坞的潮汐记录现在保留 30 天。
other|記録は7日間残す。|造船所の記録は30日間残すことになった。
other|기록은 7일 보관합니다.|조선소의 기록은 이제 30일 보관합니다.
duty|Pia leads the pilots.|Pia leads the divers.
duty|Pia leitet die Werft.|Pia leitet die Fähre.
duty|Pia dirige le chantier.|Pia dirige le phare.
duty|Pia gestisce il cantiere.|Pia gestisce il faro.
duty|Pia kieruje stocznią.|Pia kieruje latarnią.
duty|Пия отвечает за причал.|Пия отвечает за маяк.
duty|Tersaneyi Pia yönetiyor.|Feneri Pia yönetiyor.
duty|小丽负责码头。|小丽负责灯塔。
duty|小丽负责码头仓库。|小丽负责灯塔食堂。
permission|Never paint the big crane.|The small boat may be painted.
permission|The production crane must never be moved.|The staging crane may be moved.
duty|林さんが港を担当しています。|林さんが灯台を担当しています。
duty|유미가 부두를 담당합니다.|유미가 등대를 담당합니다.
duty|بيا تدير الميناء.|بيا تدير المنارة.
duty|Pia manages the dock.|Gus does not manage the dock.
duty|The crane manages its own brakes.|The winch manages its own brakes.
duty|Pia leitet die Werft.|Gus leitet die Fähre.
duty|Pia manages the dock.|Gus manages the dock at night.
other rule|Landings with a pilot are allowed.|Landings without a pilot are forbidden.
other rule|Fahrten mit Lotse sind erlaubt.|Fahrten ohne Lotse sind verboten.
other rule|允许有领航员的靠岸。|禁止没有领航员的靠岸。
other rule|Night landings are allowed.|Day landings are forbidden.
other name|The ferry is called Heron.|Heron is called by the night watch.
other name|The ferry is called Heron.|We renamed Gull to Tern.
other name|We write the tides in Python.|We write the locks in Move.
value|Vi mäter med Vegeta.|Gus tycker att vi borde byta från Vegeta till k6.
value|Vegetaで計測しています。|林さんはVegetaからk6に移行すべきだと考えています。
value|We measure with Vegeta.|Gus thinks we should move from Vegeta to k6.
value|潮位用Vegeta测量。|三月之前潮位用k6测量。
value|Usiamo Vegeta.|Nei collaudi usiamo k6 invece di Vegeta.
value|我们用Vegeta。|演习里我们用k6代替Vegeta。
value|계측은 Vegeta로 합니다.|3월까지는 계측을 k6로 했습니다.
other ban|Never paint buoys.|Never paint anchors.
other ban|Streiche nie Bojen.|Streiche nie Anker.
other ban|Ne peins jamais les bouées.|Ne peins jamais les ancres.
other ban|Nunca pintes boyas.|Nunca pintes anclas.
other ban|Non dipingere mai le boe.|Non dipingere mai le ancore.
other ban|Nunca pinte boias.|Nunca pinte âncoras.
other ban|Verf nooit boeien.|Verf nooit ankers.
other ban|Nigdy nie maluj boi.|Nigdy nie maluj kotwic.
other ban|Måla aldrig bojar.|Måla aldrig ankare.
other ban|Никогда не крась буи.|Никогда не крась якоря.
other ban|Ніколи не фарбуй буї.|Ніколи не фарбуй якорі.
other case|Call me before moving anchors.|Call me before moving chains.
other case|Ruf mich, bevor du Anker hebst.|Ruf mich, bevor du Ketten hebst.
other case|Avísame antes de mover anclas.|Avísame antes de mover cadenas.
other case|Зови меня перед подъёмом якорей.|Зови меня перед подъёмом цепей.
other case|移动船锚之前先叫我。|移动锁链之前先叫我。
other object|The chart reader supports S57.|The chart reader supports S63.
other object|Der Leser unterstützt GeoJSON.|Der Leser unterstützt Shapefile.
other object|Czytnik obsługuje GeoJSON.|Czytnik obsługuje Shapefile.
other object|Читалка поддерживает GeoJSON.|Читалка поддерживает Shapefile.
other object|读图器支持GeoJSON。|读图器支持Shapefile。
other object|Every berth needs a ladder.|Every berth needs a lamp.
other duty|The dock is managed by Pia.|The canteen is managed by Pia.
other duty|Il porto è gestito da Pia.|Il faro è gestito da Pia.
other duty|码头由小丽管理。|灯塔由小丽管理。
other duty|The dock belongs to Pia.|The crane belongs to Pia.
other duty|Der Kran führt Tests aus.|Der Lift führt Tests aus.
""".strip().splitlines()
)
"""Kind, statement, a later one of such a form beside which it holds. Each is decided rightly.language|Always answer me in Dutch.|Keep answers short.
language|Keep answers short.|Always answer in Dutch.
language|Write the manual in Dutch.|Write the manual in Markdown.
language|Antworte immer auf Niederländisch.|Antworte immer kurz.
purpose|We use sqlite for tests.|We use playwright for screenshots.
purpose|We use protractor for tests.|Tests run in parallel now.
purpose|We use protractor for tests.|Tests take 5 minutes in CI now.
purpose|We use protractor for tests.|We use playwright for smoke tests now.
purpose|We use Memcached for sessions.|We don't use Memcached for the queue any more.
purpose|Vi använder Memcached för sessioner.|Vi använder inte längre Memcached för kön.
lifted|Never weld on deck two.|You can paint on deck two now.
instead|Never use nylon, always hemp.|We use steel instead of nylon.
also|We use protractor for tests.|also, we use playwright for tests
lifted|Never weld on deck two.|You can weld in the yard now.
adverb|Never ever moor directly at pier two!|Our maps come from Chartly, we don't draw them directly any more.
place|The logbook is written in Pascal.|The logbook moved to apps/log.
trouble|Our crane control is Craneworks.|the crane control is slow since monday
trouble|The harbour runs on Zulip.|the harbour is down since this morning
trouble|Der Hafen läuft auf Zulip.|Der Hafen ist jetzt kaputt.
duty|도크는 Slate를 사용합니다.|부두는 이제 Vite를 사용합니다.
"""
