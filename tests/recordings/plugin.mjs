// Runs a plugin for OpenCode that an older `wm setup` wrote, against the daemon that serves now.
//
// Node's fetch knows no Unix sockets, so requests go through node:http; the address, the command
// and everything else are the plugin's own.
//   argv[2]  path of the plugin, as .mjs
//   stdin    {"directory": …, "message": …, "output": …}
//   stdout   {"system": texts of the first call, "notices": parts that the message got,
//             "output": what became of the output, "tool": what memory_query answers}

import { spawnSync } from "node:child_process"
import { request } from "node:http"
import { readFileSync } from "node:fs"

const plugin = (await import(process.argv[2])).default
const { COMMAND, create, createMemory, socketPath } = plugin.parts
const given = JSON.parse(readFileSync(0, "utf8"))

const wm = {
  call(method, path, body) {
    return new Promise((resolve, reject) => {
      const socket = socketPath(process.env, process.env.HOME)
      const headers = { "content-type": "application/json" }
      const sent = request({ socketPath: socket, method, path, headers }, (answer) => {
        const chunks = []
        answer.on("data", (chunk) => chunks.push(chunk))
        answer.on("end", () =>
          resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString("utf8") }),
        )
      })
      sent.on("error", reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  },
  async run(args, stdin) {
    const done = spawnSync(COMMAND[0], [...COMMAND.slice(1), ...args], { input: stdin, cwd: "/" })
    if (done.status !== 0) throw new Error(`exit ${done.status}`)
    return done.stdout.toString("utf8")
  },
}

const { directory } = given
const get = async () => ({ data: {} })
const session = { get, messages: async () => ({ data: [] }), prompt: async () => ({ data: {} }) }
const hooks = create({ wm, memory: createMemory(), directory, worktree: directory, client: { session } })
const sessionID = "ses_recorded"

await hooks.event({ event: { type: "session.created", properties: { info: { id: sessionID } } } })
const system = { system: ["You are OpenCode, the best coding agent."] }
await hooks["experimental.chat.system.transform"]({ sessionID }, system)
const part = { id: "prt_1", messageID: "msg_1", sessionID, type: "text", text: given.message }
const message = { message: { id: "msg_1" }, parts: [part] }
await hooks["chat.message"]({ sessionID }, message)
const shown = { output: given.output, metadata: { exit: 0 } }
const input = { sessionID, tool: "bash", callID: "c", args: { command: "ls -R bays" } }
await hooks["tool.execute.after"](input, shown)
const tool = await hooks.tool.memory_query.execute({ query: "deploy" }, { directory, sessionID })

console.log(
  JSON.stringify({ system: system.system, notices: message.parts, output: shown.output, tool }),
)
