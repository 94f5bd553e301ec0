// wm for OpenCode. `wm setup` wrote this file and `wm unsetup` removes it.
//
// It reports the events of a session to the wm daemon and puts the memory of the workspace
// into the system prompt. It decides nothing about memory, reads and writes no file of
// wm's, and needs no package. Rules it protects (IF-2, EP-1, EP-2):
//   - OpenCode continues whatever wm answers: every wait has a deadline and
//     no hook throws (a throwing hook would fail the whole request).
//   - The text pushed into a system prompt is the same, byte for byte, from the first call of
//     an epoch to its end, which is a compaction. A session whose first call had no
//     memory continues without it: providers bind caches and signed thinking to the prefix.
//   - Titles, summaries and subagents get no memory.
//
// The default export stays the only one: OpenCode calls every export as a plugin.

import { spawn } from "node:child_process"
import { statSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

// `wm setup` writes these six.
const VERSION = "0.0.0"
const COMMAND = ["wm"]
const EVENT_MS = 1000
const START_MS = 5000
const TOOLS = []
const COMMANDS = {}

// A hanging daemon is called this often, then once per pause: a slow moment of the machine
// must not lose the events after it.
const QUIET_AFTER = 3
const QUIET_MS = 10_000
const MAX_SESSIONS = 500
const MAX_OUTPUT = 2_000_000 // characters of one tool output that leave this process
const MAX_ARGUMENT = 64_000
// wm prunes nothing shorter, so a shorter output does not wait for an answer.
const LEAST_LINES = 20

// Tools that change files, or show that an error is fixed. Without a daemon their events go to
// the files; a hanging daemon may have them already.
const CHANGES = new Set(["bash", "edit", "multiedit", "patch", "apply_patch", "write"])
const WITHOUT_DAEMON = "only without a daemon"
const NOT_RECORDED =
  "wm could not record this message, neither through its daemon nor in its files (`wm doctor` says why). " +
  "If it asks to remember something, tell the user that it was not kept."

const SYSTEM = "experimental.chat.system.transform"
const SIDE_CALLS = ["You are a title generator", "You are a context summarization agent"]

// Wider than the daemon's own rule on purpose: a wrong guess costs one process, no memory.
const MAY_ASK_TO_KEEP = new RegExp(
  [
    "remember|memory|memori[sz]|from now on|going forward|prefer|don.?t forget|keep in mind|note that",
    "记住|記住|记得|記得|记下|記下|从现在|從現在|以后|以後|今后|今後|偏好|别忘|別忘",
    "覚え|忘れ|メモ|これから|기억|잊지|메모|앞으로|지금부터",
    "recuerda|recuérd|acuérdate|memoriza|no olvides|en adelante|a partir de ahora|prefier",
    "souviens|rappelle|retiens|retenez|mémoris|oublie|désormais|dorénavant|à partir de maintenant|préf",
    "merk|erinner|denk daran|vergiss|ab jetzt|ab sofort|von nun an|in zukunft|künftig|bevorzug",
    "lembr|guarde|não esque|a partir de agora|de agora em diante|daqui em diante|memoriz",
  ].join("|"),
  "iu",
)

// ---------------------------------------------------------------------------- the socket

// ID-1: the path of the daemon's socket. "" if the environment names no usable one.
function socketPath(env, home) {
  if (env.WM_SOCKET) return env.WM_SOCKET.startsWith("/") ? env.WM_SOCKET : ""
  if (!env.WM_HOME && env.XDG_RUNTIME_DIR?.startsWith("/")) return join(env.XDG_RUNTIME_DIR, "wm", "wm.sock")
  if (env.WM_HOME) return env.WM_HOME.startsWith("/") ? join(env.WM_HOME, "run", "wm.sock") : ""
  const data = env.XDG_DATA_HOME?.startsWith("/") ? env.XDG_DATA_HOME : home && join(home, ".local", "share")
  return data ? join(data, "wm", "run", "wm.sock") : ""
}

// A lone surrogate is not Unicode text and would make the whole body invalid.
const wellFormed = (_key, value) => (typeof value === "string" ? value.toWellFormed() : value)

// How this process reaches wm. Tests pass another object of the same shape.
//   call: {status, text}; throws without an answer; error.name is TimeoutError past the deadline
//   run:  what `wm ARGS` printed; throws if it failed or took too long
function machine() {
  const where = () => socketPath(process.env, process.env.HOME || homedir())
  return {
    async call(method, path, body, ms) {
      const unix = where()
      if (!unix) throw new Error("no socket")
      // Nothing is sent to or read from another user's daemon (TR-1).
      if (statSync(unix).uid !== process.getuid()) throw new Error("not our socket")
      const response = await fetch(`http://wm${path}`, {
        unix,
        method,
        headers: { "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body, wellFormed),
        signal: AbortSignal.timeout(ms),
      })
      return { status: response.status, text: await response.text() }
    },
    run(args, stdin, ms) {
      return new Promise((resolve, reject) => {
        const child = spawn(COMMAND[0], [...COMMAND.slice(1), ...args], {
          cwd: "/",
          stdio: ["pipe", "pipe", "ignore"],
        })
        const chunks = []
        const timer = setTimeout(() => {
          // A hook ends by itself within 65 s: on a busy machine it still records what it was sent.
          if (args[0] !== "hook") child.kill("SIGKILL")
          reject(new Error("deadline"))
        }, ms)
        child.on("error", (error) => (clearTimeout(timer), reject(error)))
        child.on("close", (code) => {
          clearTimeout(timer)
          code === 0 ? resolve(Buffer.concat(chunks).toString("utf8")) : reject(new Error(`exit ${code}`))
        })
        child.stdout.on("data", (chunk) => chunks.push(chunk))
        child.stdin.on("error", () => {}) // it may exit before it has read everything
        child.stdin.end(stdin)
      })
    },
    // `wm up` takes the lock before it starts anything, so two of these start one daemon.
    start(ms) {
      return new Promise((resolve) => {
        const child = spawn(COMMAND[0], [...COMMAND.slice(1), "up", "--quiet"], {
          cwd: "/",
          detached: true,
          stdio: "ignore",
        })
        const timer = setTimeout(resolve, ms)
        const done = () => (clearTimeout(timer), resolve())
        child.on("error", done)
        child.on("exit", done)
        child.unref()
        timer.unref?.()
      })
    },
  }
}

// ------------------------------------------------------------------------------ the hooks

const cut = (value, max) =>
  typeof value === "string" && value.length > max
    ? `${value.slice(0, max / 2)}\n${value.slice(-max / 2)}`
    : value

const cutAll = (values) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([key, value]) => [key, cut(value, MAX_ARGUMENT)]))

// The text of a tool's answer; a tool of an MCP server answers with a list of parts.
const shown = ({ output, content }) =>
  typeof output === "string" || !Array.isArray(content)
    ? output
    : content.map((part) => part?.text ?? part?.resource?.text ?? "").join("\n")

// Whether a shorter text may replace it: it is sent completely, and has enough lines.
function isLong(text) {
  if (typeof text !== "string" || text.length > MAX_OUTPUT) return false
  let at = -1
  for (let lines = 0; lines < LEAST_LINES; lines++) {
    at = text.indexOf("\n", at + 1)
    if (at < 0) return false
  }
  return true
}

const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref?.())

const strings = (value) =>
  Array.isArray(value) ? value.filter((text) => typeof text === "string" && text) : []

// What is known of the sessions of this process; shared by all instances of the plugin,
// because OpenCode drops and recreates an instance during a session.
//   parent   "" for a main session, the parent's id for a subagent's, undefined: not asked yet
//   blocks   promise of the texts of this epoch; undefined: no main call was made in it yet
//   begins   no answer in this epoch yet, so nothing is bound to a system prompt
//   template the texts of the command that is its next message; undefined: it is none
//   untitled its first message is yet to come; OpenCode makes a title of all that is in that
//   notices  sentences that wait for a place in the conversation
//   asked    the last message of the user: who answers it, and how
function createMemory() {
  return { sessions: new Map(), ready: undefined, late: 0, quietUntil: 0 }
}

function create({ wm, memory, directory, worktree, client, now = Date.now }) {
  const { sessions } = memory
  const mine = new Set() // main sessions that ran in this instance
  const reported = new Set() // tool errors already reported
  const counted = new Set() // answers whose tokens were reported
  const windows = new Map() // the context limit of a model, by provider/model
  const prompts = new Set() // messages of this plugin to the agent
  let compaction = {}
  let sidePrompts = SIDE_CALLS
  let tail = Promise.resolve()

  function session(id) {
    let known = sessions.get(id)
    if (!known) {
      known = {
        parent: undefined,
        blocks: undefined,
        compacting: false,
        summary: "",
        begins: false,
        untitled: false,
        notices: [],
        asked: undefined,
      }
      sessions.set(id, known)
      if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value)
    }
    return known
  }

  // For a session that began in another process it is unknown whether it is a subagent's.
  async function sessionWithParent(id) {
    const known = session(id)
    if (known.parent === undefined) {
      const asked = Promise.resolve(client?.session?.get?.({ path: { id } })).catch(() => undefined)
      const info = (await Promise.race([asked, after(EVENT_MS)]))?.data
      known.parent ??= info?.parentID ?? ""
    }
    return known
  }

  // Events reach the daemon in the order in which they happened.
  function inOrder(job) {
    const done = tail.then(job)
    tail = done.catch(() => {})
    return done
  }

  // One post. library: true for an event that must not be lost, it goes to the files without an
  // answer; WITHOUT_DAEMON for one that goes there only if no daemon listens.
  // Returns the answer's object, {} for an empty one, undefined when wm could not be reached.
  async function send(name, body, library) {
    const began = now()
    const payload = { directory, worktree, ...body }
    let listening = began < memory.quietUntil
    if (!listening) {
      try {
        const { status, text } = await wm.call("POST", `/v1/hooks/opencode/${name}`, payload, EVENT_MS)
        memory.late = 0
        listening = true
        // A body too large for the socket (413) goes to the files.
        if (status < 500 && status !== 413) return status < 300 && text ? JSON.parse(text) : {}
      } catch (error) {
        const hangs = error?.name === "TimeoutError"
        listening ||= hangs
        if (hangs) memory.late += 1
        if (memory.late >= QUIET_AFTER) memory.quietUntil = now() + QUIET_MS
      }
    }
    if (!library || (library === WITHOUT_DAEMON && listening)) return undefined
    try {
      const stdin = JSON.stringify(payload, wellFormed)
      const text = await wm.run(["hook", "opencode", name, "--library"], stdin, START_MS - (now() - began))
      return text.trim() ? JSON.parse(text) : {}
    } catch {
      return undefined
    }
  }

  const post = (name, body, library = false) => inOrder(() => send(name, body, library))

  // A session that was answered without wm continues without memory: its thinking is bound to
  // the system prompt that it had.
  async function wasAnsweredWithoutMemory(id) {
    const query = new URLSearchParams({ directory })
    const answer = await wm.call("GET", `/v1/sessions/${encodeURIComponent(id)}?${query}`, undefined, EVENT_MS)
    if (answer.status >= 500) return false
    const epochs = answer.status < 300 && answer.text ? JSON.parse(answer.text).state?.epochNumber : 0
    if (epochs > 0) return false
    const recent = await client.session.messages({ path: { id }, query: { limit: 10 } })
    return (recent?.data ?? []).some(({ info }) => info.role === "assistant" && info.time?.completed)
  }

  async function blocksOf(id, system) {
    await memory.ready
    if (!session(id).begins && (await wasAnsweredWithoutMemory(id).catch(() => false))) return []
    const body = { input: { sessionID: id }, output: { system: [system[0]?.slice(0, 200) ?? ""] } }
    return strings((await post(SYSTEM, body, true))?.system)
  }

  function once(seen, key) {
    if (seen.has(key)) return false
    seen.add(key)
    if (seen.size > MAX_SESSIONS) seen.delete(seen.values().next().value)
    return true
  }

  // Our message is the last of the conversation, uses the agent that the user chose, and starts
  // no turn. If OpenCode refuses it, it is appended to the next tool output.
  async function prompt(id, known, text) {
    const { agent, model, system, format, tools } = known.asked ?? {}
    const named = model && { providerID: model.providerID, modelID: model.modelID }
    const parts = [{ type: "text", text, synthetic: true }]
    const body = { noReply: true, agent, model: named, variant: model?.variant, system, format, tools, parts }
    once(prompts, text)
    const sent = await Promise.resolve(client?.session?.prompt?.({ path: { id }, body })).catch(() => undefined)
    if (!sent || sent.error) known.notices.push(text)
  }

  // What was learned is shown to the person; the model does not read it (EX-7).
  function show(message) {
    if (typeof message !== "string" || !message) return
    Promise.resolve(client?.tui?.showToast?.({ body: { message, variant: "info" } })).catch(() => undefined)
  }

  const events = {
    async "session.created"(event) {
      const info = event.properties?.info
      if (!info?.id) return
      Object.assign(session(info.id), { parent: info.parentID ?? "", begins: true, untitled: true })
      await memory.ready
      const answer = await post("session.created", {
        event: { type: event.type, properties: { info: { id: info.id, parentID: info.parentID } } },
      })
      show(answer?.toast)
    },
    async "message.updated"(event) {
      const info = event.properties?.info
      if (!info?.sessionID) return
      if (info.role === "user") session(info.sessionID).asked = info
      const { input, output, total } = info.tokens ?? {}
      if (info.role !== "assistant" || info.summary || !info.finish || !(input || output || total)) return
      if (!once(counted, info.id)) return
      const known = await sessionWithParent(info.sessionID)
      if (known.parent) return
      const { id, sessionID, role, agent, mode, providerID, modelID, summary, tokens } = info
      const sent = { id, sessionID, role, agent, mode, providerID, modelID, summary, tokens }
      const limit = windows.get(`${providerID}/${modelID}`)
      const body = { event: { type: event.type, properties: { info: sent } }, limit, compaction }
      const answer = await post("message.updated", body)
      known.notices.push(...strings(answer?.notices))
      if (typeof answer?.prompt === "string" && answer.prompt) await prompt(sessionID, known, answer.prompt)
    },
    async "message.part.updated"(event) {
      const part = event.properties?.part
      if (part?.type !== "tool" || part.state?.status !== "error" || !once(reported, part.id)) return
      const { status, input, error } = part.state
      const state = { status, input: cutAll(input), error: cut(error, MAX_OUTPUT) }
      const sent = { sessionID: part.sessionID, type: "tool", tool: part.tool, state }
      await post("message.part.updated", { event: { type: event.type, properties: { part: sent } } }, true)
    },
    async "session.compacted"(event) {
      const id = event.properties?.sessionID
      if (!id) return
      const known = session(id)
      const summary = known.summary
      // The epoch ends before anything is awaited: the next call may have started.
      Object.assign(known, { compacting: false, summary: "", blocks: undefined, begins: true })
      if (known.parent) return
      await post("session.compacted", { event: { type: event.type, properties: { sessionID: id } }, summary }, true)
    },
    async "session.deleted"(event) {
      const info = event.properties?.info
      const id = info?.id ?? event.properties?.sessionID
      if (!id) return
      sessions.delete(id)
      mine.delete(id)
      // `opencode session delete` works from any folder: the files are in the session's workspace.
      const body = { event: { type: event.type, properties: { info: { id } } } }
      await post("session.deleted", { ...body, directory: info?.directory ?? directory }, true)
    },
    // A compaction that failed ends in one of these and in no session.compacted.
    async "session.idle"(event) {
      forgetCompaction(event.properties?.sessionID)
    },
    async "session.error"(event) {
      forgetCompaction(event.properties?.sessionID)
    },
  }

  function forgetCompaction(id) {
    const known = id && sessions.get(id)
    if (known) Object.assign(known, { compacting: false, summary: "" })
  }

  const hooks = {
    async config(config) {
      compaction = { auto: config?.compaction?.auto, reserved: config?.compaction?.reserved }
      const own = ["title", "summary", "compaction"].map((name) => config?.agent?.[name]?.prompt)
      sidePrompts = [...SIDE_CALLS, ...strings(own).map((text) => text.slice(0, 200))]
      // A command of the user's with the same name stays.
      if (config) config.command = { ...COMMANDS, ...config.command }
    },

    async event({ event }) {
      if (Object.hasOwn(events, event.type)) await events[event.type](event)
    },

    // The text of a command is that of its file, not what the user typed (EX-4).
    async "command.execute.before"({ command, sessionID }, output) {
      const texts = Object.hasOwn(COMMANDS, command) ? [] : output.parts?.map((part) => part.text)
      session(sessionID).template = strings(texts)
    },

    async "chat.message"(input, output) {
      if (output.parts?.length && output.parts.every((part) => prompts.has(part.text))) return
      const known = await sessionWithParent(input.sessionID)
      forgetCompaction(input.sessionID)
      // The prompt of a subagent was written by a model, not by the user (EX-4).
      if (known.parent) return
      mine.add(input.sessionID)
      await memory.ready
      const parts = (output.parts ?? [])
        .filter((part) => part.type === "text")
        .map(({ type, text, synthetic, ignored }) => {
          return { type, text, synthetic: synthetic || known.template?.includes(text), ignored }
        })
      known.template = undefined
      const mayAsk = parts.some((part) => !part.synthetic && MAY_ASK_TO_KEEP.test(part.text))
      const body = {
        input: { sessionID: input.sessionID, messageID: input.messageID },
        output: { message: { id: output.message?.id }, parts },
      }
      const answer = await post("chat.message", body, mayAsk)
      known.notices.push(...strings(answer?.notices))
      show(answer?.toast)
      if (!answer && mayAsk) known.notices.push(NOT_RECORDED)
      const untitled = known.untitled
      known.untitled = false
      const last = output.parts?.at(-1)
      if (!known.notices.length || !last?.id) return
      const text = known.notices.splice(0).join("\n\n")
      if (!untitled) {
        // Parts are ordered by id; one more letter sorts after all others.
        const { sessionID, messageID } = last
        output.parts.push({ id: `${last.id}w`, sessionID, messageID, type: "text", synthetic: true, text })
      } else if (output.parts.some((part) => part.type !== "text")) {
        // OpenCode reads files and agents that were named off the last message: ours must not be it.
        known.notices.push(text)
      } else {
        known.asked = output.message
        await Promise.race([prompt(input.sessionID, known, text), after(EVENT_MS)])
      }
    },

    async "tool.execute.after"(input, output) {
      const { exit, synthetic } = output.metadata ?? {}
      const replaceable = isLong(output.output)
      const body = {
        input: { sessionID: input.sessionID, tool: input.tool, callID: input.callID, args: cutAll(input.args) },
        output: { output: cut(shown(output), MAX_OUTPUT), metadata: { exit, synthetic } },
        replaceable,
      }
      const failed = Number.isInteger(exit) && exit !== 0
      const posted = post("tool.execute.after", body, failed || (CHANGES.has(input.tool) && WITHOUT_DAEMON))
      const { notices } = session(input.sessionID)
      const answer = await Promise.race([posted, after(EVENT_MS)])
      // OpenCode keeps this text, so the model reads the same one in every later request (PR-1).
      if (replaceable && typeof answer?.output === "string" && answer.output) output.output = answer.output
      notices.push(...strings(answer?.notices))
      if (notices.length && typeof output.output === "string") {
        output.output += `\n\n${notices.splice(0).join("\n\n")}`
      }
    },

    async [SYSTEM](input, output) {
      const id = input.sessionID
      const system = output.system
      const model = input.model
      if (model?.limit) windows.set(`${model.providerID}/${model.id}`, model.limit)
      if (!id || sidePrompts.some((begin) => system[0]?.trimStart().startsWith(begin.trimStart()))) return
      const known = await sessionWithParent(id)
      if (known.parent || known.compacting) return
      known.blocks ??= blocksOf(id, system).catch(() => [])
      // One text per block: OpenCode joins them into a second system block with its own cache
      // mark, which makes four, the maximum of the service.
      system.push(...(await known.blocks))
    },

    async "experimental.session.compacting"(input, output) {
      const known = await sessionWithParent(input.sessionID)
      if (known.parent) return
      Object.assign(known, { compacting: true, summary: "" })
      const answer = await post("experimental.session.compacting", { input: { sessionID: input.sessionID } }, true)
      output.context.push(...strings(answer?.context))
    },

    async "experimental.text.complete"(input, output) {
      const known = session(input.sessionID)
      if (known.compacting) known.summary = output.text
      else if (!known.parent && mine.has(input.sessionID)) {
        const { sessionID, messageID } = input
        post("experimental.text.complete", {
          input: { sessionID, messageID },
          output: { text: cut(output.text, MAX_OUTPUT) },
        }).catch(() => {})
      }
    },

    // OpenCode waits for this hook and for no event, then its process ends: `opencode session
    // delete` disposes of the instance some 10 ms after the event. So the queue is emptied here.
    async dispose() {
      for (const sessionID of mine) post("dispose", { input: { sessionID } })
      await Promise.race([tail, after(START_MS)])
    },
  }

  const silent = Object.entries(hooks).map(([name, hook]) => [
    name,
    async (...args) => {
      try {
        await hook(...args)
      } catch {
        // Fail open: a session without memory is better than no session.
      }
    },
  ])
  return { ...Object.fromEntries(silent), tool: createTools({ wm, directory }) }
}

// ------------------------------------------------------------------------------ the tools

// The same tools as those of `wm mcp`, from the same table and through the same route; but the
// call names its session, whose words support what the model wants to store.
// Arguments are plain JSON Schemas: OpenCode 1.18 takes them beside zod types and then
// requires every one of them.
function createTools({ wm, directory }) {
  async function ask(name, args, context) {
    const folder = context?.directory ?? directory
    try {
      const query = new URLSearchParams({ directory: folder, session: context?.sessionID ?? "" })
      const { status, text } = await wm.call("POST", `/v1/tools/${name}?${query}`, args, START_MS)
      const answer = text ? JSON.parse(text) : {}
      if (status < 300 && answer.text) return answer.text
      return [answer.detail ?? `wm answered ${status}.`, answer.fix].filter(Boolean).join(" ")
    } catch (error) {
      if (error?.name === "TimeoutError") {
        return "wm did not answer in time. It may have been done anyway: check before you repeat it."
      }
      return onFiles(name, args, folder, context?.sessionID)
    }
  }

  // No daemon: one call of the MCP server, which then uses the files.
  async function onFiles(name, args, folder, session) {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }
    try {
      const line = `${JSON.stringify(call, wellFormed)}\n`
      const mine = session ? ["--session", session] : []
      return JSON.parse(await wm.run(["mcp", "-C", folder, ...mine], line, START_MS)).result.content[0].text
    } catch {
      return "The memory cannot be reached. `wm status` says why."
    }
  }

  const entries = TOOLS.map(({ name, description, args }) => [
    name,
    { description, args, execute: (given, context) => ask(name, given, context) },
  ])
  return Object.fromEntries(entries)
}

// --------------------------------------------------------------------------- entry point

const shared = createMemory()

async function whenReady(wm) {
  try {
    await wm.call("GET", "/v1/status", undefined, EVENT_MS / 4)
  } catch (error) {
    // A daemon listens but is slow: a second one would not help.
    if (error?.name !== "TimeoutError") await wm.start(START_MS)
  }
}

export default async function WmPlugin({ directory, worktree, client }) {
  const wm = machine()
  shared.ready ??= whenReady(wm).catch(() => {})
  return create({ wm, memory: shared, directory, worktree, client })
}

// For tests only.
WmPlugin.parts = { VERSION, COMMAND, EVENT_MS, START_MS, MAY_ASK_TO_KEEP, socketPath, create, createMemory, whenReady }
