// Runs wm.js in node: one scenario a line on stdin, what the hooks did a line on stdout.
//
// The transport is swapped for one that answers from the scenario, because node's fetch knows
// no Unix sockets; everything behind it is the plugin as it is shipped.
//   argv[2]  path of the plugin, as .mjs
//   in       {"parents": {id: parentID}, "messages": [of the session], "refuses": …, "steps": [step…]}
//   a step   {"daemon": {event: reply} | "gone" | "slow" | "broken" | "full", "library": {event: reply}}
//            or {"hook": name, "input": …, "output": …} or {"event": …} or {"tool": name, "args": …}
//            "delay": how many ms the daemon takes from here on; "awaited": false as OpenCode emits events
//   out      {"calls": [[where, name, body]], "outputs": [output of each step]}

import { createInterface } from "node:readline"

const [, , path] = process.argv
const module = await import(path)
const { create, createMemory } = module.default.parts

async function play(scenario) {
  const calls = []
  let daemon = {}
  let library = {}
  let clock = 0
  let delay = 0

  const wm = {
    async call(method, target, body) {
      const name = target.replace("/v1/hooks/opencode/", "")
      calls.push([`socket ${method}`, name, body ?? null])
      if (delay) await new Promise((resolve) => setTimeout(resolve, delay))
      if (daemon === "gone") throw new Error("ENOENT")
      if (daemon === "slow") throw Object.assign(new Error("deadline"), { name: "TimeoutError" })
      if (daemon === "broken") return { status: 500, text: "{}" }
      if (daemon === "full") return { status: 413, text: "{}" }
      if (daemon === "garbage") return { status: 200, text: "<html>" }
      const reply = daemon[name]
      return { status: 200, text: reply === undefined ? "" : JSON.stringify(reply) }
    },
    async run(args, stdin) {
      // A hook by its event; any other verb by its own name.
      const name = args[0] === "hook" ? args[2] : args[0]
      calls.push([`library ${args.slice(0, 2).join(" ")}`, name, JSON.parse(stdin)])
      if (!library) throw new Error("not installed")
      return library[name] === undefined ? "" : JSON.stringify(library[name])
    },
  }

  const get = async ({ path: { id } }) => ({ data: { parentID: scenario.parents?.[id] } })
  const messages = async () => ({ data: scenario.messages ?? [] })
  const prompt = async ({ path: { id }, body }) => {
    calls.push(["prompt", id, JSON.parse(JSON.stringify(body))])
    if (scenario.refuses === "throws") throw new Error("no such agent")
    return scenario.refuses ? { error: scenario.refuses } : { data: {} }
  }
  const hooks = create({
    wm,
    memory: createMemory(),
    directory: "/repo",
    worktree: "/repo",
    client: { session: { get, messages, prompt } },
    now: () => clock,
  })

  const outputs = []
  for (const step of scenario.steps) {
    if ("daemon" in step) daemon = step.daemon
    if ("library" in step) library = step.library
    if ("delay" in step) delay = step.delay
    if ("seconds" in step) clock += step.seconds * 1000
    if (step.hook) await hooks[step.hook](step.input, step.output)
    if (step.event) {
      const handled = hooks.event({ event: step.event })
      if (step.awaited !== false) await handled
    }
    if (step.tool) step.output = await hooks.tool[step.tool].execute(step.args, { directory: "/repo", sessionID: "s" })
    outputs.push(step.output ?? null)
  }
  return { calls, outputs, exports: Object.keys(module), tools: hooks.tool }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await play(JSON.parse(line))))
}
