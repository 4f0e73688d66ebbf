/**
 * For `node --import`: writes a line to standard error for each attempt to reach another machine or process, by a connection, a
 * look-up of a name, a datagram or a command. The attempt goes on.
 */
import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const mark = 'OUTGOING'

// biome-ignore lint/suspicious/noExplicitAny: functions of every signature
type Any = any

function watch(owner: Any, name: string, describe: (args: Any[]) => string | undefined): void {
  const original = owner[name]
  owner[name] = function (this: Any, ...args: Any[]) {
    const what = describe(args)
    if (what !== undefined) writeSync(2, `${mark} ${name} ${what}\n`)
    return original.apply(this, args)
  }
}

// node:http, node:https, node:tls, node:http2, fetch and WebSocket all connect by this method.
watch(net.Socket.prototype, 'connect', ([first, second]) => {
  const options = Array.isArray(first) ? first[0] : first
  // The lock of the data directory is a local socket.
  if (typeof options === 'object' && options.path !== undefined) return undefined
  return JSON.stringify(typeof options === 'object' ? [options.host, options.port] : [second, options])
})

/** Listening on an address looks it up, which sends nothing. */
const byName = ([name]: Any[]) => (net.isIP(String(name)) === 0 ? String(name) : undefined)
for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype] as Any[]) {
  for (const name of Object.keys(Object.getOwnPropertyDescriptors(owner))) {
    if (/^(?:lookup|resolve|reverse)/.test(name)) watch(owner, name, byName)
  }
}

watch(dgram.Socket.prototype, 'send', () => 'a datagram')
watch(dgram.Socket.prototype, 'connect', () => 'a datagram')
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
  watch(childProcess, name, ([command]) => String(command))
}
syncBuiltinESMExports()
