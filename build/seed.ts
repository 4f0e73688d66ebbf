/**
 * `npm run seed`: fills a data directory with realistic demo data, for screenshots, demos and tests. It starts a server whose clock
 * begins two weeks ago and loads the sample world. Every run creates accounts and records with the same content.
 */
import { randomUUID } from 'node:crypto'
import { createPasswordHasher } from '../server/identity/auth/passwords.ts'
import { runCommand } from '../server/operation/cli/command.ts'
import { defaultConfig } from '../server/platform/config/config.ts'
import { listOutbox } from '../server/platform/mail/outbox.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import { isEmpty } from '../server/store/tables/accounts.ts'
import {
  beginOf,
  type CallOptions,
  createSample,
  type LoadedWorld,
  loadWorld,
  type WorldDeps,
} from '../server/testing/worlds/worlds.ts'
import { createLogger } from '../server/util/log.ts'

const help = `Fills a data directory with demo data: eleven accounts and two weeks of posts, follows and notifications.

Usage: npm run seed -- [--data-dir DIR]

The data directory must not contain accounts. The passwords are public: do not open this server to the network.
`

await runCommand(help, {}, async ({ dataDir }) => {
  let clock = Date.now()
  /** Advances by a millisecond per call, so that no two events have the same time. */
  const now = () => new Date(++clock)
  const adminPassword = randomUUID()
  const config = defaultConfig({
    dataDir,
    port: 0,
    publicUrl: 'http://localhost:2583',
    inviteRequired: 'off',
    rateLimits: false,
    adminPassword,
  })
  // The passwords are public, so a slow hash protects nothing.
  const options = { now, log: createLogger('warn'), passwords: createPasswordHasher({ cost: 4 }) }
  const server = await startServer({ ...config, hosts: ['127.0.0.1'] }, options)
  try {
    if (!isEmpty(server.services.store)) {
      throw new Error(`${dataDir} has accounts already. Name another directory with --data-dir.`)
    }
    const world = createSample()
    const end = new Date()
    clock = beginOf(world, end).getTime()
    const passUntil = async (at: Date) => {
      clock = Math.max(clock, at.getTime())
    }
    const deps = { ...callsOf(server, adminPassword), now, passUntil }
    return summary(dataDir, await loadWorld(world, deps, end))
  } finally {
    await server.close()
  }
})

function callsOf(
  { url, services }: RunningServer,
  adminPassword: string,
): Pick<WorldDeps, 'call' | 'admin' | 'code'> {
  const admin = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`
  return {
    call: (_, nsid, options) => call(`${url}/xrpc/${nsid}`, options),
    admin: (_, nsid, input) => call(`${url}/xrpc/${nsid}`, { input }, admin),
    async code(_, email) {
      await services.background.idle()
      const { code } = (await listOutbox(services.config.dataDir)).find(({ to }) => to === email) ?? {}
      if (code === undefined) throw new Error(`no code was mailed to ${email}`)
      return code
    },
  }
}

async function call(
  url: string,
  { input, bytes, type, token, client = 'seed', method }: CallOptions,
  authorization = token && `Bearer ${token}`,
) {
  const body = bytes ? Uint8Array.from(bytes) : input === undefined ? undefined : JSON.stringify(input)
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      'user-agent': client,
      ...(authorization && { authorization }),
      ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

function summary(dataDir: string, { accounts, records }: LoadedWorld): string {
  const state = (name: string) =>
    ({ alice: 'owner', mallory: 'taken down', victor: 'deactivated' })[name] ?? ''
  const lines = Object.entries(accounts).map(([name, { handle, password }]) =>
    `  ${handle.padEnd(14)}${password.padEnd(18)}${state(name)}`.trimEnd(),
  )
  return [
    `${lines.length} accounts and ${records} records are in ${dataDir}`,
    '',
    `  ${'handle'.padEnd(14)}password`,
    ...lines,
    '',
    `Start it with: npm run serve -- --data-dir ${dataDir}`,
  ].join('\n')
}
