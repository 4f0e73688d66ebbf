/**
 * `npm run seed`: fills a data directory with realistic demo data, for screenshots, demos and tests. It starts a server whose clock
 * begins two weeks ago and calls its methods. Every run creates accounts and records with the same content.
 */

import { createPasswordHasher } from '../server/identity/auth/passwords.ts'
import { runCommand } from '../server/operation/cli/command.ts'
import { defaultConfig } from '../server/platform/config/config.ts'
import { listOutbox } from '../server/platform/mail/outbox.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import { isEmpty } from '../server/store/tables/accounts.ts'
import { createLogger } from '../server/util/log.ts'
import { createAgenda } from './seed/agenda.ts'
import { planChronicle } from './seed/chronicle.ts'
import { planTalk } from './seed/talk.ts'
import { createTown, day, handleOf, names, passwordOf, type Town } from './seed/town.ts'

const help = `Fills a data directory with demo data: eleven accounts and two weeks of posts, follows and notifications.

Usage: npm run seed -- [--data-dir DIR]

The data directory must not contain accounts. The passwords are public: do not open this server to the network.
`

await runCommand(help, {}, async ({ dataDir }) => {
  const agenda = createAgenda()
  const config = defaultConfig({
    dataDir,
    port: 0,
    publicUrl: 'http://localhost:2583',
    inviteRequired: 'off',
    rateLimits: false,
  })
  // The passwords are public, so a slow hash protects nothing.
  const options = { now: agenda.now, log: createLogger('warn'), passwords: createPasswordHasher({ cost: 4 }) }
  const server = await startServer({ ...config, hosts: ['127.0.0.1'] }, options)
  try {
    if (!isEmpty(server.services.store)) {
      throw new Error(`${dataDir} has accounts already. Name another directory with --data-dir.`)
    }
    const end = Date.now()
    agenda.setClock(end - 14 * day)
    const town = createTown({
      endpoint: server.url,
      agenda,
      start: end - 14 * day,
      end,
      codeTo: (email) => newestCode(server, dataDir, email),
    })
    planChronicle(town)
    planTalk(town)
    await agenda.run(end)
    return summary(dataDir, town)
  } finally {
    await server.close()
  }
})

async function newestCode({ services }: RunningServer, dataDir: string, email: string): Promise<string> {
  await services.background.idle()
  const { code } = (await listOutbox(dataDir)).find(({ to }) => to === email) ?? {}
  if (code === undefined) throw new Error(`no code was mailed to ${email}`)
  return code
}

function summary(dataDir: string, town: Town): string {
  const state = (name: string) =>
    ({ alice: 'owner', mallory: 'taken down', victor: 'deactivated' })[name] ?? ''
  const lines = names.map((name) =>
    `  ${handleOf(name).padEnd(14)}${passwordOf(name).padEnd(18)}${state(name)}`.trimEnd(),
  )
  return [
    `${names.length} accounts and ${town.records} records are in ${dataDir}`,
    '',
    `  ${'handle'.padEnd(14)}password`,
    ...lines,
    '',
    `Start it with: npm run serve -- --data-dir ${dataDir}`,
  ].join('\n')
}
