"""Texts that a user asks to keep, with the types that they must get: text|type."""

from __future__ import annotations

CASES = tuple(
    (text, kind)
    for text, _, kind in (
        row.rpartition("|")
        for row in """
we decided to use Valkey.|decision
we deploy with Argo instead of Jenkins.|decision
the runbook is at https://wiki.example.com/x|reference
our coding guide is docs/guide.md.|reference
invoices are numbered per year.|project
the API returns 429 after 60 calls.|project
I prefer short answers.|feedback
never push without asking.|feedback
wir uns für Valkey entschieden haben.|decision
Das Handbuch liegt unter https://wiki.example.com/de|reference
antworte auf Deutsch.|feedback
decidimos usar Valkey.|decision
las facturas se numeran por año.|project
nous avons décidé d'utiliser Valkey.|decision
réponds en français.|feedback
o guia está em https://wiki.example.com/pt|reference
as faturas são numeradas por ano.|project
我们决定使用 Valkey。|decision
用中文回答。|feedback
請求書は年ごとに採番する。|project
日本語で答えてください。|feedback
Valkey 를 쓰기로 결정했어.|decision
송장은 연도별로 번호를 매겨.|project
We deploy with `make ship` from the release branch.|project
we deploy with make ship|project
we ship on Mondays|project
we release from main every second week|project
we host everything at Hetzner|project
we run two replicas in Frankfurt|project
logs rotate at noon|project
Prices are stored in cents, never as floating point numbers.|project
The job queue runs on Postgres with SKIP LOCKED, not on Redis.|project
Lint runs with ruff before every commit in this repository.|project
The public documentation lives in the folder docs and is built with make.|project
the staging database listens on port 5433|project
Kira owns the billing service|project
the demo tenant is called Zebra|project
Please answer in German and keep the code comments in English.|feedback
use pnpm here, not npm|feedback
always run the linter before you commit|feedback
don't touch the generated files|feedback
keep the answers short|feedback
we moved from Jenkins to Buildkite|decision
we settled on UUIDs for all public ids|decision
we dropped support for node 16|decision
the design is in https://figma.example.com/file/42|reference
the error budget is on the Grafana board https://grafana.example.com/d/7|reference
wir liefern jeden Montag aus|project
die Preise liegen in Cent in der Datenbank|project
nutze immer pnpm|feedback
wir haben uns auf Postgres geeinigt|decision
nous livrons le lundi|project
utilise toujours pnpm|feedback
desplegamos los lunes|project
no uses npm|feedback
faturamos em euros|project
use sempre pnpm|feedback
rilasciamo il lunedì|project
usa sempre pnpm|feedback
we leveren op maandag|project
gebruik altijd pnpm|feedback
wdrażamy w poniedziałki|project
zawsze używaj pnpm|feedback
мы выкатываем по понедельникам|project
всегда используй pnpm|feedback
pazartesi günleri yayınlıyoruz|project
her zaman pnpm kullan|feedback
chúng tôi triển khai vào thứ hai|project
luôn dùng pnpm|feedback
我们每周一发布|project
始终使用 pnpm|feedback
月曜日にリリースします|project
必ず pnpm を使ってください|feedback
월요일에 배포한다|project
항상 pnpm 을 써 줘|feedback
we will use Redis Streams for the queue|decision
we'll keep the monolith|decision
we go with protobuf|decision
wir bleiben bei Postgres|decision
nos quedamos con Postgres|decision
on reste sur Postgres|decision
ficamos com o Postgres|decision
我们决定停止支持 Node 16|decision
Node 16 のサポートはやめると決めた|decision
Node 16 지원을 중단하기로 했다|decision
los precios van en euros|project
os preços ficam em euros|project
les prix sont en euros|project
the browser tests only run on the build server|project
the slow tests run at night|project
the old ids had a dash, the new ones have a colon|project
this repo uses pnpm|project
the project uses Postgres 16|project
our codebase is a monorepo|project
dieses Projekt nutzt pnpm|project
este proyecto usa pnpm|project
ce projet utilise pnpm|project
este projeto usa pnpm|project
questo progetto usa pnpm|project
本项目使用 pnpm|project
このプロジェクトは pnpm を使う|project
이 프로젝트는 pnpm 을 쓴다|project
会话保存三十天。|project
价格以欧元计。|project
测试数据在 fixtures 目录里。|project
队列最多保留一百条。|project
用户编号全局唯一。|project
提交前先跑格式化。|feedback
不要修改生成的文件。|feedback
注文番号は全体で一意。|project
価格は税抜きです。|project
セッションは三十日で切れます。|project
テストデータは fixtures にある。|project
日付はすべて UTC で保存します。|project
生成ファイルは編集しないで。|feedback
주문 번호는 전체에서 유일하다.|project
가격은 세금 별도입니다.|project
세션은 30일 뒤 만료된다.|project
날짜는 모두 UTC 로 저장합니다.|project
생성된 파일은 고치지 마.|feedback
the term "account" means a billing account|project
duplicate keys in the sample files are intended|project
order ids are unique per shop|project
prices exclude tax|project
the tests in e2e/ take ten minutes|project
amounts are stored as integers|project
One.|project
Two words.|project
hm|project
Notes|project
ok|project
""".strip().splitlines()
    )
)
